import { Webhook } from 'standardwebhooks';
import {
  BODIES,
  NOW,
  S1,
  S1_TEXT,
  STANDARD_S1,
  STANDARD_S1_RESERIALISED_ODD,
  STANDARD_V1A_PLAIN,
  type Vector,
} from './signature-vectors.fixture';
import { headersOf, MIB, vectors } from './standard-webhooks.vectors.fixture';
import { verifyDelivery, type VerifyDelivery } from './verify-delivery';

function verify(vector: Omit<Vector, 'expected' | 'title'>): VerifyDelivery {
  const keys = (vector.secrets ?? [S1]).map((secret, at) => ({ version: at + 1, secret }));
  return verifyDelivery('standard-webhooks', {
    rawHeaders: vector.headers,
    body: vector.body,
    keys,
    now: vector.now ?? NOW,
    toleranceSeconds: 300,
  });
}
function told(outcome: VerifyDelivery): string {
  return outcome.kind === 'refused' ? `refused ${outcome.reason}` : outcome.kind;
}

describe('standard-webhooks', () => {
  it('covers at least 200 vectors', () => expect(vectors.length).toBeGreaterThanOrEqual(200));

  it.each(vectors)('$expected: $title', (vector) => expect(told(verify(vector))).toBe(vector.expected));

  it('verified: uni, esc, ff and fe by their own vector and by none of the other three (PUB-SIG-03)', () => {
    const names = ['uni', 'esc', 'ff', 'fe'] as const;
    const fits = names.map((body) =>
      names.filter((own) => verify({ headers: headersOf(STANDARD_S1[own]), body: BODIES[body] }).kind === 'verified'),
    );
    expect(fits).toEqual(names.map((name) => [name]));
    expect(BODIES.ff.toString('utf8')).toBe(BODIES.fe.toString('utf8'));
  });
});

describe('standard-webhooks › the corner cases of its specification', () => {
  const S1_VALUE = STANDARD_S1.plain;
  const of = (headers: readonly string[]): string => told(verify({ headers, body: BODIES.plain }));

  it('verified: one signature that fits among broken entries and other versions (PUB-SIG-06)', () => {
    expect(of(headersOf(`v1,AAAA v2,xyz ${S1_VALUE}`))).toBe('verified');
    expect(of(headersOf(`${STANDARD_V1A_PLAIN} ${S1_VALUE}`))).toBe('verified');
  });

  it.each<[string, readonly string[]]>([
    ['the right value under another version', headersOf(`v2,${S1_VALUE.slice(3)}`)],
    ['an empty list', headersOf('')],
    ['a doubled signature header', [...headersOf(S1_VALUE), 'Webhook-Signature', S1_VALUE]],
    ['an id with a dot', headersOf(S1_VALUE, 'msg.1')],
    ...[`${NOW}.0`, `+${NOW}`, ` ${NOW}`, '1e9'].map((at): [string, string[]] => [
      `the timestamp ${JSON.stringify(at)}`,
      headersOf(S1_VALUE, 'msg_1', at),
    ]),
    ['65 candidates', headersOf(Array<string>(65).fill(S1_VALUE).join(' '))],
  ])('refused: %s (PUB-SIG-06)', (_, headers) => {
    expect(of(headers)).toMatch(/^(refused|not-canonical)/);
  });

  it('refused signature-mismatch: the signature of what a parser would write again, sent with the body as it was (PUB-SIG-02)', () => {
    expect(told(verify({ headers: headersOf(STANDARD_S1_RESERIALISED_ODD), body: BODIES.odd }))).toBe('refused signature-mismatch');
  });
});

describe('standardwebhooks as oracle', () => {
  const oracle = new Webhook(S1_TEXT);
  beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW * 1000));
  afterEach(() => jest.restoreAllMocks());

  function oracleAccepts(vector: Vector): boolean {
    const headers: Record<string, string> = {};
    for (let at = 0; at < vector.headers.length; at += 2) headers[vector.headers[at] ?? ''] = vector.headers[at + 1] ?? '';
    try {
      oracle.verify(vector.body, headers, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  }
  const isText = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);

  it('verified: every text body that the oracle signs', () => {
    for (const body of [BODIES.plain, BODIES.odd, BODIES.bom, BODIES.uni, BODIES.esc, Buffer.alloc(0), MIB]) {
      const signature = oracle.sign('msg_1', new Date(NOW * 1000), body);
      expect(verify({ headers: headersOf(signature), body })).toEqual({ kind: 'verified', keyVersion: 1, transportKey: 'msg_1' });
    }
  });

  it('verified: nothing that the oracle refuses, over every vector with a text body under our clock and S1', () => {
    const comparable = vectors.filter((vector) => isText(vector.body) && vector.now === undefined && vector.secrets === undefined);
    const ours = comparable.filter((vector) => vector.expected === 'verified');
    expect(ours.filter((vector) => !oracleAccepts(vector)).map((vector) => vector.title)).toEqual([]);
    expect(comparable.length).toBeGreaterThan(150);
  });

  it('refused signature-mismatch: whatever has our form and the oracle refuses', () => {
    const mismatches = vectors.filter(
      (vector) => vector.expected === 'refused signature-mismatch' && isText(vector.body) && vector.secrets === undefined,
    );
    expect(mismatches.filter(oracleAccepts).map((vector) => vector.title)).toEqual([]);
  });
});
