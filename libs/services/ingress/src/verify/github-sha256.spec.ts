import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  altered,
  BODIES,
  BODY_NAMES,
  flipped,
  GITHUB,
  GITHUB_SECRET,
  NOW,
  permutations,
  S1,
  S2,
  type Vector,
} from './signature-vectors.fixture';
import { verifyDelivery, type VerifyDelivery } from './verify-delivery';

const PLAIN = GITHUB.plain;
const HEX = PLAIN.slice(7);
const MIB = Buffer.alloc(1024 * 1024, 0x61);
const GZIPPED = gzipSync(BODIES.plain);
const GUID = '72d3162e-cc78-11e3-81ab-4c9367dc0958';

function headersOf(signature: string, delivery = GUID): string[] {
  return ['X-GitHub-Delivery', delivery, 'X-Hub-Signature-256', signature];
}
function signed(body: Buffer, secret = GITHUB_SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
function verify(vector: Omit<Vector, 'expected' | 'title'>): VerifyDelivery {
  const keys = (vector.secrets ?? [GITHUB_SECRET]).map((secret, at) => ({ version: at + 1, secret }));
  return verifyDelivery('github-sha256', {
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
const plain = (expected: string, title: string, headers: readonly string[]): Vector => ({ expected, title, headers, body: BODIES.plain });

const published: Vector[] = BODY_NAMES.map((name) => ({
  expected: 'verified',
  title: `published vector of body ${name}`,
  headers: headersOf(GITHUB[name]),
  body: BODIES[name],
}));
const crossed: Vector[] = BODY_NAMES.flatMap((name) =>
  BODY_NAMES.filter((other) => other !== name).map((other) => ({
    expected: 'refused signature-mismatch',
    title: `signature of body ${other} on body ${name}`,
    headers: headersOf(GITHUB[other]),
    body: BODIES[name],
  })),
);
const flips: Vector[] = [...BODIES.odd.keys()].flatMap((at) =>
  [0, 5, 7].map((bit) => ({
    expected: 'refused signature-mismatch',
    title: `bit ${bit} of byte ${at} of body odd flipped`,
    headers: headersOf(GITHUB.odd),
    body: flipped(BODIES.odd, at, bit),
  })),
);
const alterations = [...HEX].map((_, at) =>
  plain('refused signature-mismatch', `hex digit ${at} altered`, headersOf(`sha256=${altered(HEX, at)}`)),
);
const truncations = [...PLAIN].map((_, length) =>
  plain('refused signature-malformed', `signature cut to ${length} characters`, headersOf(PLAIN.slice(0, length))),
);
const encodings = [
  `sha256=${HEX.toUpperCase()}`,
  `SHA256=${HEX}`,
  HEX,
  `sha1=${HEX.slice(0, 40)}`,
  `sha512=${HEX}${HEX}`,
  `sha256:${HEX}`,
  `sha256= ${HEX}`,
  `sha256=${HEX} `,
  ` sha256=${HEX}`,
  `sha256=${HEX}\n`,
  `sha256="${HEX}"`,
  `sha256=0x${HEX}`,
  `sha256=${HEX},sha256=${HEX}`,
  `sha256=${HEX}, sha256=${HEX}`,
  `sha256=${HEX}00`,
  `sha256=${Buffer.from(HEX, 'hex').toString('base64')}`,
  `sha256=${'\u0663'}${HEX.slice(1)}`,
].map((value) => plain('refused signature-malformed', `signature written ${JSON.stringify(value)}`, headersOf(value)));
const pairs: [string, string][] = [
  ['X-GitHub-Delivery', GUID],
  ['X-Hub-Signature-256', PLAIN],
  ['X-Hub-Signature', `sha1=${'0'.repeat(40)}`],
];
const orders = permutations(pairs).map((order) =>
  plain('verified', `headers in the order ${order.map(([name]) => name).join(', ')}`, order.flat()),
);
const nameCases = ['x-hub-signature-256', 'X-HUB-SIGNATURE-256', 'x-github-delivery'].map((name) =>
  plain(
    'verified',
    `header name written ${name}`,
    pairs.flatMap(([own, value]) => [own.toLowerCase() === name.toLowerCase() ? name : own, value]),
  ),
);
const missing = [
  plain('transport-key-missing', 'no X-GitHub-Delivery', ['X-Hub-Signature-256', PLAIN]),
  plain('refused signature-missing', 'no X-Hub-Signature-256', ['X-GitHub-Delivery', GUID]),
  plain('refused signature-missing', 'only the old sha1 header', ['X-GitHub-Delivery', GUID, 'X-Hub-Signature', `sha1=${'0'.repeat(40)}`]),
  plain('refused signature-missing', 'no header at all', []),
];
const doubled = [
  plain('refused signature-doubled', 'signature doubled with the same value', [...headersOf(PLAIN), 'X-Hub-Signature-256', PLAIN]),
  plain('refused signature-doubled', 'signature doubled in another case', [...headersOf(PLAIN), 'x-hub-signature-256', PLAIN]),
  plain('refused signature-doubled', 'signature doubled with another in front', ['X-Hub-Signature-256', GITHUB.odd, ...headersOf(PLAIN)]),
  plain('refused signature-doubled', 'signature doubled with an empty value', [...headersOf(PLAIN), 'X-Hub-Signature-256', '']),
  plain('not-canonical', 'delivery id doubled with the same value', [...headersOf(PLAIN), 'X-GitHub-Delivery', GUID]),
  plain('not-canonical', 'delivery id doubled with another value', [...headersOf(PLAIN), 'x-github-delivery', 'other']),
];
const ids = [
  ...[GUID, 'k1', 'K1', 'a.b', '!', '~', 'a'.repeat(255)].map((id) => ({ id, expected: 'verified' })),
  ...['', 'k1 ', ' k1', 'k 1', 'k\t1', 'k\u00001', 'caf\u00e9', 'a'.repeat(256), 'k\u007f'].map((id) => ({
    id,
    expected: 'not-canonical',
  })),
].map(({ id, expected }) => plain(expected, `delivery id ${JSON.stringify(id.slice(0, 12))} of ${id.length}`, headersOf(PLAIN, id)));
const bodies: Vector[] = [
  { expected: 'verified', title: 'an empty body', headers: headersOf(signed(Buffer.alloc(0))), body: Buffer.alloc(0) },
  { expected: 'refused signature-mismatch', title: 'an empty body in place of plain', headers: headersOf(PLAIN), body: Buffer.alloc(0) },
  { expected: 'verified', title: 'a body of 1 MiB', headers: headersOf(signed(MIB)), body: MIB },
  {
    expected: 'refused signature-mismatch',
    title: 'a body of 1 MiB with its last bit flipped',
    headers: headersOf(signed(MIB)),
    body: flipped(MIB, MIB.length - 1, 0),
  },
  {
    expected: 'verified',
    title: 'a compressed body, signed compressed',
    headers: [...headersOf(signed(GZIPPED)), 'content-encoding', 'gzip'],
    body: GZIPPED,
  },
  {
    expected: 'refused signature-mismatch',
    title: 'a compressed body, signed before compression',
    headers: headersOf(PLAIN),
    body: GZIPPED,
  },
  {
    expected: 'refused signature-mismatch',
    title: 'a newline added at the end',
    headers: headersOf(PLAIN),
    body: Buffer.concat([BODIES.plain, Buffer.from('\n')]),
  },
  {
    expected: 'refused signature-mismatch',
    title: 'a byte-order mark cut off',
    headers: headersOf(GITHUB.bom),
    body: BODIES.bom.subarray(3),
  },
  {
    expected: 'verified',
    title: 'a clock a year ahead, for the scheme signs no time',
    headers: headersOf(PLAIN),
    body: BODIES.plain,
    now: NOW + 31_536_000,
  },
];
const secrets: Vector[] = [
  { expected: 'refused signature-mismatch', title: 'no active key', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [] },
  { expected: 'refused signature-mismatch', title: 'only another secret', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [S2] },
  { expected: 'verified', title: 'the old of two secrets', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [GITHUB_SECRET, S1] },
  { expected: 'verified', title: 'the new of two secrets', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [S1, GITHUB_SECRET] },
  {
    expected: 'verified',
    title: '64 secrets, the last fits',
    headers: headersOf(PLAIN),
    body: BODIES.plain,
    secrets: [...Array<Buffer>(63).fill(S2), GITHUB_SECRET],
  },
];
const vectors = [
  ...[published, crossed, flips, alterations, truncations, encodings, orders, nameCases, missing, doubled, ids, bodies, secrets],
].flat();

describe('github-sha256', () => {
  it('covers at least 200 vectors', () => expect(vectors.length).toBeGreaterThanOrEqual(200));

  it.each(vectors)('$expected: $title', (vector) => expect(told(verify(vector))).toBe(vector.expected));

  it('verified: uni, esc, ff and fe by their own vector and by none of the other three (PUB-SIG-03)', () => {
    const names = ['uni', 'esc', 'ff', 'fe'] as const;
    const fits = names.map((body) =>
      names.filter((own) => verify({ headers: headersOf(GITHUB[own]), body: BODIES[body] }).kind === 'verified'),
    );
    expect(fits).toEqual(names.map((name) => [name]));
  });
});
