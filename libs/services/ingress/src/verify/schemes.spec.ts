import { createHash, createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { parseSecret } from './parse-secret';
import { VERIFICATION_SCHEMES, type VerificationScheme } from '@connector/packs/model/verification-schemes';
import { SENDERS, standard, v1a } from './senders.fixture';
import {
  altered,
  BODIES,
  BODY_NAMES,
  flipped,
  GITHUB,
  NOW,
  S1_TEXT,
  SHOPIFY,
  SLACK_PLAIN,
  STANDARD_S1,
  STANDARD_V1A_PLAIN,
  STRIPE_PLAIN,
  V1A_TEXT,
  type BodyName,
} from './signature-vectors.fixture';
import { verifyDelivery, type SignedDelivery, type VerifyDelivery } from './verify-delivery';

function secretOf(scheme: VerificationScheme, text = SENDERS[scheme].key): Buffer {
  const parsed = parseSecret(scheme, text);
  if (parsed.kind !== 'secret') throw new Error(parsed.help);
  return parsed.secret;
}
function verify(
  scheme: VerificationScheme,
  rawHeaders: readonly string[],
  body: Buffer,
  over: Partial<SignedDelivery> = {},
): VerifyDelivery {
  const keys = [{ version: 1, secret: secretOf(scheme) }];
  return verifyDelivery(scheme, { rawHeaders, body, keys, now: NOW, toleranceSeconds: 300, ...over });
}
const told = (outcome: VerifyDelivery): string => (outcome.kind === 'refused' ? outcome.reason : outcome.kind);
const published = (text: string): SignedDelivery['keys'] => [{ version: 1, secret: secretOf('standard-webhooks-v1a', text) }];

describe('the published vectors', () => {
  it.each(BODY_NAMES)('verified: body %s, by everybody who has one of it (PUB-SIG-02)', (name) => {
    const body = BODIES[name];
    expect(told(verify('standard-webhooks', standard(STANDARD_S1[name], 'msg_1', NOW), body))).toBe('verified');
    expect(told(verify('github-sha256', ['x-github-delivery', 'd', 'x-hub-signature-256', GITHUB[name]], body))).toBe('verified');
    expect(told(verify('shopify', ['X-Shopify-Webhook-Id', 'd', 'X-Shopify-Hmac-Sha256', SHOPIFY[name]], body))).toBe('verified');
  });

  it('verified: body plain by Stripe, Slack and a key pair (PUB-SIG-02, PUB-SIG-06)', () => {
    const slack = ['X-Slack-Request-Timestamp', String(NOW), 'X-Slack-Signature', SLACK_PLAIN];
    expect(told(verify('stripe', ['Stripe-Signature', STRIPE_PLAIN], BODIES.plain))).toBe('verified');
    expect(told(verify('slack', slack, BODIES.plain))).toBe('verified');
    const pair = standard(STANDARD_V1A_PLAIN, 'msg_1', NOW);
    expect(told(verify('standard-webhooks-v1a', pair, BODIES.plain, { keys: published(V1A_TEXT) }))).toBe('verified');
    expect(told(verify('standard-webhooks-v1a', pair, BODIES.plain))).toBe('signature-mismatch');
  });
});

describe.each(VERIFICATION_SCHEMES)('%s', (scheme) => {
  const { headers, signsTime } = SENDERS[scheme];
  const sent = (body: Buffer, at = NOW): VerifyDelivery => verify(scheme, headers(body, at), body);
  const withSignature = (value: string, body = BODIES.plain): readonly string[] => [...headers(body, NOW).slice(0, -1), value];
  const signature = (body = BODIES.plain): string => headers(body, NOW).at(-1) ?? '';

  it('verified: uni, esc, ff and fe by their own signature and by none of the other three (PUB-SIG-03)', () => {
    const names: readonly BodyName[] = ['uni', 'esc', 'ff', 'fe'];
    const fits = names.map((body) => names.filter((own) => verify(scheme, headers(BODIES[own], NOW), BODIES[body]).kind === 'verified'));
    expect(fits).toEqual(names.map((name) => [name]));
  });

  it('verified: the bytes as they came, never what a parser would write again (PUB-SIG-02)', () => {
    const again = Buffer.from(JSON.stringify(JSON.parse(BODIES.odd.toString('utf8'))));
    expect([told(sent(BODIES.odd)), told(sent(BODIES.bom))]).toEqual(['verified', 'verified']);
    expect(told(verify(scheme, headers(again, NOW), BODIES.odd))).toBe('signature-mismatch');
  });

  it('refused: one bit of the body, or one character of the signature, is another one (PUB-SIG-06)', () => {
    const seed = 20261201;
    console.log(`${scheme}: seed ${seed}`);
    const body = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(body, fc.nat(), fc.nat(), (bytes, at, place) => {
        expect(told(sent(bytes))).toBe('verified');
        const other = flipped(bytes, at % bytes.length, place % 8);
        expect(told(verify(scheme, headers(bytes, NOW), other))).toBe('signature-mismatch');
        const text = signature(bytes);
        // The last characters are padding, or bits that an encoding leaves over: whatever they become, it is no signature.
        const wrong = verify(scheme, withSignature(altered(text, place % text.length), bytes), bytes);
        expect(wrong.kind).toBe('refused');
      }),
      { seed, numRuns: 60 },
    );
  });

  it(`${signsTime ? 'refused' : 'verified'}: a signature that is 301 seconds old, or ahead (PUB-SIG-04)`, () => {
    const at = (old: number): string => told(sent(BODIES.plain, NOW - old));
    const late = signsTime ? 'timestamp-outside-tolerance' : 'verified';
    expect([300, -300, 301, -301].map(at)).toEqual(['verified', 'verified', late, late]);
  });

  it('refused: no signature, two headers of it, an empty one, and one of another form (PUB-SIG-06)', () => {
    const [name, value] = headers(BODIES.plain, NOW).slice(-2) as [string, string];
    const of = (given: readonly string[]): string => told(verify(scheme, given, BODIES.plain));
    expect(of(headers(BODIES.plain, NOW).slice(0, -2))).toBe('signature-missing');
    expect(of([...headers(BODIES.plain, NOW), name.toUpperCase(), value])).toBe('signature-doubled');
    for (const text of ['', `${value} `.replace(/ $/, '\n'), value.slice(0, -1), value.replaceAll(/v1a?,|v[01]=|sha256=/g, 'v2=')])
      if (text !== value) expect(of(withSignature(text))).toMatch(/^(signature-malformed|signature-mismatch)$/);
  });

  it('the key of a delivery: what the provider names it by, or the digest of a body that carries its own name', () => {
    const own = `sha256:${createHash('sha256').update(BODIES.plain).digest('hex')}`;
    const unnamed = scheme === 'stripe' || scheme === 'slack';
    expect(sent(BODIES.plain)).toMatchObject({ kind: 'verified', transportKey: unnamed ? own : 'msg_1' });
    const relayed = ['x-relay-id', 'r1', ...headers(BODIES.plain, NOW)];
    const named = (given: readonly string[]) => verify(scheme, given, BODIES.plain, { transportKeyHeader: 'x-relay-id' });
    if (scheme.startsWith('standard-webhooks')) expect(() => named(relayed)).toThrow('webhook-id');
    else
      expect([named(relayed), named(headers(BODIES.plain, NOW))]).toMatchObject([
        { transportKey: 'r1' },
        { kind: 'transport-key-missing' },
      ]);
  });
});

describe('several signatures in one header', () => {
  const stripeOf = (value: string): string => told(verify('stripe', ['stripe-signature', value], BODIES.plain));
  const [time, good] = STRIPE_PLAIN.split(',') as [string, string];
  const bad = `v1=${'0'.repeat(64)}`;

  it('verified: Stripe’s among others and beside what nobody knows; refused: without a time, with two, or with none that fits', () => {
    expect([`${time},${bad},${good}`, `${good},${time}`, `${time},v0=x,scheme,${good}`].map(stripeOf)).toEqual(Array(3).fill('verified'));
    expect([good, `${time},${time},${good}`, `t=1e9,${good}`, `${time},${bad}`, `${time},v0=${good.slice(3)}`].map(stripeOf)).toEqual([
      ...['timestamp-missing', 'timestamp-doubled', 'timestamp-malformed', 'signature-mismatch', 'signature-malformed'],
    ]);
    expect([64, 65].map((count) => stripeOf([time, ...Array<string>(count - 1).fill(good)].join()))).toEqual([
      'verified',
      'too-many-signatures',
    ]);
  });

  const pairOf = (value: string, over: Partial<SignedDelivery> = {}): string =>
    told(verify('standard-webhooks-v1a', standard(value, 'msg_1', NOW), BODIES.plain, { keys: published(V1A_TEXT), ...over }));

  it('verified: one of a key pair beside shared secrets and broken ones; the newest version that fits is named (PUB-SIG-06)', () => {
    expect(pairOf(`v1,AAAA v2,xyz ${STANDARD_S1.plain} ${STANDARD_V1A_PLAIN}`)).toBe('verified');
    const keys = [
      { version: 3, secret: secretOf('standard-webhooks-v1a', V1A_TEXT) },
      { version: 5, secret: secretOf('standard-webhooks-v1a') },
    ];
    const both = standard(`${STANDARD_V1A_PLAIN} ${v1a(BODIES.plain, NOW)}`, 'msg_1', NOW);
    expect(verify('standard-webhooks-v1a', both, BODIES.plain, { keys })).toMatchObject({ keyVersion: 5 });
    expect(pairOf(STANDARD_V1A_PLAIN, { keys: [] })).toBe('signature-mismatch');
  });

  it('refused: more than eight of key pairs, a second spelling of one, and one over another id or time (PUB-SIG-06)', () => {
    const times = (count: number): string => Array<string>(count).fill(STANDARD_V1A_PLAIN).join(' ');
    expect([pairOf(times(8)), pairOf(times(9)), pairOf(times(65))]).toEqual(['verified', 'too-many-signatures', 'too-many-signatures']);
    // The last character before the padding carries two bits; the four others are thrown away when it is decoded.
    expect(pairOf(STANDARD_V1A_PLAIN.replace(/Q==$/, 'R=='))).toBe('signature-mismatch');
    for (const [id, at] of [
      ['msg_2', NOW],
      ['msg_1', NOW + 1],
    ] as const)
      expect(told(verify('standard-webhooks-v1a', standard(v1a(BODIES.plain, NOW), id, at), BODIES.plain))).toBe('signature-mismatch');
  });

  it('refused: a public key is no shared secret, under either scheme', () => {
    const publicKey = secretOf('standard-webhooks-v1a', V1A_TEXT);
    const forged = createHmac('sha256', publicKey).update(`msg_1.${NOW}.`).update(BODIES.plain).digest('base64');
    expect([pairOf(`v1,${forged}`), pairOf(`v1a,${forged}`)]).toEqual(['signature-malformed', 'signature-malformed']);
    expect(told(verify('standard-webhooks', standard(STANDARD_V1A_PLAIN, 'msg_1', NOW), BODIES.plain))).toBe('signature-malformed');
    expect(parseSecret('standard-webhooks', V1A_TEXT).kind).toBe('malformed');
    expect(parseSecret('standard-webhooks-v1a', S1_TEXT).kind).toBe('malformed');
  });
});

describe('parseSecret, of a public key', () => {
  const whpk = (bytes: number): string => `whpk_${Buffer.alloc(bytes, 7).toString('base64')}`;
  it('secret: its 32 bytes; malformed: any other count, and a key for which everybody could sign', () => {
    expect(parseSecret('standard-webhooks-v1a', V1A_TEXT)).toMatchObject({
      kind: 'secret',
      secret: expect.objectContaining({ length: 32 }),
    });
    for (const y of ['00', '01', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa']) {
      const key = Buffer.concat([Buffer.from(y, 'hex'), Buffer.alloc(32)]).subarray(0, 32);
      expect(parseSecret('standard-webhooks-v1a', `whpk_${key.toString('base64')}`)).toMatchObject({ kind: 'malformed' });
    }
    expect([31, 33, 0].map((bytes) => parseSecret('standard-webhooks-v1a', whpk(bytes)).kind)).toEqual(Array(3).fill('malformed'));
  });
});
