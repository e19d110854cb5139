import { DefectFault } from '@connector/kernel/faults';
import * as crypto from 'node:crypto';
import { BODIES, GITHUB, GITHUB_SECRET, NOW, S1, S1_TEXT, S2, STANDARD_S1, STANDARD_S2_PLAIN } from './signature-vectors.fixture';
import { REFUSAL_REASONS } from './scheme';
import { verifyDelivery, type SignedDelivery, type VerifyDelivery } from './verify-delivery';

jest.mock('node:crypto', () => {
  const real = jest.requireActual<typeof crypto>('node:crypto');
  return { ...real, createHmac: jest.fn(real.createHmac), timingSafeEqual: jest.fn(real.timingSafeEqual) };
});

const good = ['webhook-id', 'msg_1', 'webhook-timestamp', String(NOW), 'webhook-signature', STANDARD_S1.plain];
const keys = [
  { version: 7, secret: S1 },
  { version: 9, secret: S2 },
];
function verify(change: Partial<SignedDelivery> = {}): VerifyDelivery {
  return verifyDelivery('standard-webhooks', { rawHeaders: good, body: BODIES.plain, keys, now: NOW, toleranceSeconds: 300, ...change });
}
const withSignature = (text: string): string[] => [...good.slice(0, 5), text];
const withTimestamp = (text: string): string[] => [...good.slice(0, 3), text, ...good.slice(4)];

/** Each answer that a sender can provoke under two active keys. */
const ANSWERS: Record<string, readonly string[]> = {
  verified: good,
  'signature-missing': good.slice(0, 4),
  'signature-doubled': [...good, 'webhook-signature', STANDARD_S1.plain],
  'signature-malformed': withSignature('v2,x'),
  'timestamp-missing': [...good.slice(0, 2), ...good.slice(4)],
  'timestamp-doubled': [...good, 'webhook-timestamp', String(NOW)],
  'timestamp-malformed': withTimestamp('1e9'),
  'timestamp-outside-tolerance': withTimestamp(String(NOW - 301)),
  'signature-mismatch': withSignature(STANDARD_S1.odd),
  'transport-key-missing': good.slice(2),
  'not-canonical': ['webhook-id', 'a b', ...good.slice(2)],
};

describe('verifyDelivery', () => {
  beforeEach(() => jest.clearAllMocks());

  it('verified: names the version that signed, and the newest where two did', () => {
    expect(verify()).toEqual({ kind: 'verified', keyVersion: 7, transportKey: 'msg_1' });
    expect(verify({ rawHeaders: withSignature(STANDARD_S2_PLAIN) })).toMatchObject({ keyVersion: 9 });
    for (const list of [`${STANDARD_S1.plain} ${STANDARD_S2_PLAIN}`, `${STANDARD_S2_PLAIN} ${STANDARD_S1.plain}`]) {
      expect(verify({ rawHeaders: withSignature(list) })).toMatchObject({ keyVersion: 9 });
      expect(verify({ rawHeaders: withSignature(list), keys: [...keys].reverse() })).toMatchObject({ keyVersion: 9 });
    }
  });

  it('verified: adding a version never ends the one before, retiring it does', () => {
    expect(verify({ keys: keys.slice(0, 1) }).kind).toBe('verified');
    expect(verify({ keys }).kind).toBe('verified');
    expect(verify({ keys: keys.slice(1) })).toMatchObject({ kind: 'refused', reason: 'signature-mismatch' });
  });

  it.each(Object.entries(ANSWERS))('%s: costs one HMAC over the body for every key', (name, rawHeaders) => {
    const outcome = verify({ rawHeaders });
    expect(outcome.kind === 'refused' ? outcome.reason : outcome.kind).toBe(name);
    expect(crypto.createHmac).toHaveBeenCalledTimes(keys.length);
  });

  it('verified: compares every key with every signature, also after one fits', () => {
    verify({ rawHeaders: withSignature(`${STANDARD_S1.plain} ${STANDARD_S1.odd} ${STANDARD_S2_PLAIN}`) });
    expect(crypto.timingSafeEqual).toHaveBeenCalledTimes(6);
  });

  it('refused: without an active key the work is that of one key', () => {
    expect(verify({ keys: [] })).toMatchObject({ kind: 'refused', reason: 'signature-mismatch' });
    expect(crypto.createHmac).toHaveBeenCalledTimes(1);
  });

  it('refused: 65 signatures are refused before one HMAC is computed', () => {
    const rawHeaders = withSignature(Array<string>(65).fill(STANDARD_S1.plain).join(' '));
    expect(verify({ rawHeaders })).toMatchObject({ kind: 'refused', reason: 'too-many-signatures' });
    expect(crypto.createHmac).not.toHaveBeenCalled();
  });

  it('refused: says the same whatever the keys are, and nothing of the keys or of the signature expected', () => {
    for (const [name, rawHeaders] of Object.entries(ANSWERS).filter(([kind]) => kind !== 'verified')) {
      const answers = [keys, [...keys].reverse(), [{ version: 3, secret: Buffer.from('other') }], []].map((some) =>
        JSON.stringify(verify({ rawHeaders, keys: some })),
      );
      expect([name, ...new Set(answers)]).toHaveLength(2);
      for (const hint of [S1_TEXT.slice(6), S1.toString('hex'), STANDARD_S1.plain.slice(3), 'msg_1', 'version'])
        expect(answers[0]).not.toContain(hint);
    }
  });

  it('refused: every reason is one that a sender can provoke', () => {
    const provoked = new Set([...Object.keys(ANSWERS), 'too-many-signatures']);
    expect(REFUSAL_REASONS.filter((reason) => !provoked.has(reason))).toEqual([]);
  });

  it('refused: a signature of one scheme says nothing in the other', () => {
    const hub = ['X-GitHub-Delivery', 'd1', 'X-Hub-Signature-256', GITHUB.plain];
    expect(verify({ rawHeaders: hub, keys: [{ version: 1, secret: GITHUB_SECRET }] })).toMatchObject({ reason: 'signature-missing' });
    const delivery = { rawHeaders: good, body: BODIES.plain, keys, now: NOW, toleranceSeconds: 300 };
    expect(verifyDelivery('github-sha256', delivery)).toMatchObject({ reason: 'signature-missing' });
  });

  it('verified: takes the transport key from the header that the route names, where the scheme does not sign it', () => {
    const rawHeaders = ['X-Desk-Delivery', 'd7', 'X-Hub-Signature-256', GITHUB.plain];
    const delivery = { rawHeaders, body: BODIES.plain, keys: [{ version: 1, secret: GITHUB_SECRET }], now: NOW, toleranceSeconds: 300 };
    expect(verifyDelivery('github-sha256', { ...delivery, transportKeyHeader: 'x-desk-delivery' })).toMatchObject({ transportKey: 'd7' });
    expect(verifyDelivery('github-sha256', delivery).kind).toBe('transport-key-missing');
    expect(verify({ transportKeyHeader: 'Webhook-Id' }).kind).toBe('verified');
    expect(() => verify({ transportKeyHeader: 'x-desk-delivery' })).toThrow(DefectFault);
  });

  it('throws a defect for 65 keys or an empty one: our rows are wrong, not the sender', () => {
    const many = Array.from({ length: 65 }, (_, at) => ({ version: at, secret: S1 }));
    expect(() => verify({ keys: many })).toThrow(DefectFault);
    expect(() => verify({ keys: [{ version: 1, secret: Buffer.alloc(0) }] })).toThrow(DefectFault);
  });

  it('leaves the body as it came', () => {
    const body = Buffer.from(BODIES.odd);
    verify({ rawHeaders: withSignature(STANDARD_S1.odd), body });
    expect(body.equals(BODIES.odd)).toBe(true);
  });
});
