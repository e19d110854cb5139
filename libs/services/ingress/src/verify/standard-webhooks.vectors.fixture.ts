import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  altered,
  BODIES,
  BODY_NAMES,
  flipped,
  NOW,
  permutations,
  S1,
  S2,
  STANDARD_S1,
  STANDARD_S1_RESERIALISED_ODD,
  STANDARD_S2_PLAIN,
  STANDARD_V1A_PLAIN,
  type Vector,
} from './signature-vectors.fixture';

const PLAIN = STANDARD_S1.plain;
const BASE64 = PLAIN.slice(3);
export const MIB = Buffer.alloc(1024 * 1024, 0x61);
const GZIPPED = gzipSync(BODIES.plain);

export function headersOf(signature: string, id = 'msg_1', timestamp = String(NOW)): string[] {
  return ['webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', signature];
}
function signed(body: Buffer, id = 'msg_1', timestamp = String(NOW), secret = S1): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`, 'latin1').update(body).digest('base64')}`;
}
const plain = (expected: string, title: string, headers: readonly string[]): Vector => ({ expected, title, headers, body: BODIES.plain });

const published: Vector[] = BODY_NAMES.map((name) => ({
  expected: 'verified',
  title: `published vector of body ${name}`,
  headers: headersOf(STANDARD_S1[name]),
  body: BODIES[name],
}));
const crossed: Vector[] = BODY_NAMES.flatMap((name) =>
  BODY_NAMES.filter((other) => other !== name).map((other) => ({
    expected: 'refused signature-mismatch',
    title: `signature of body ${other} on body ${name}`,
    headers: headersOf(STANDARD_S1[other]),
    body: BODIES[name],
  })),
);
const flips: Vector[] = [...BODIES.odd.keys()].flatMap((at) =>
  [0, 5, 7].map((bit) => ({
    expected: 'refused signature-mismatch',
    title: `bit ${bit} of byte ${at} of body odd flipped`,
    headers: headersOf(STANDARD_S1.odd),
    body: flipped(BODIES.odd, at, bit),
  })),
);
const alterations = [...BASE64.slice(0, 43)].map((_, at) =>
  plain('refused signature-mismatch', `signature character ${at} altered`, headersOf(`v1,${altered(BASE64, at)}`)),
);
const truncations = [...PLAIN].map((_, length) =>
  plain('refused signature-malformed', `signature cut to ${length} characters`, headersOf(PLAIN.slice(0, length))),
);
const pairs: [string, string][] = [
  ['webhook-id', 'msg_1'],
  ['webhook-timestamp', String(NOW)],
  ['webhook-signature', PLAIN],
];
const orders = permutations(pairs).map((order) =>
  plain('verified', `headers in the order ${order.map(([name]) => name).join(', ')}`, order.flat()),
);
const nameCases = ['WEBHOOK-ID', 'Webhook-Timestamp', 'wEBHOOK-sIGNATURE'].map((name) =>
  plain(
    'verified',
    `header name written ${name}`,
    pairs.flatMap(([own, value]) => [own === name.toLowerCase() ? name : own, value]),
  ),
);
const without = (name: string): string[] => pairs.filter(([own]) => own !== name).flat();
const missing = [
  plain('transport-key-missing', 'no webhook-id', without('webhook-id')),
  plain('refused timestamp-missing', 'no webhook-timestamp', without('webhook-timestamp')),
  plain('refused signature-missing', 'no webhook-signature', without('webhook-signature')),
  plain('refused signature-missing', 'no header at all', []),
  plain('refused signature-missing', 'a signing header name as a value only', ['x-a', 'webhook-signature', 'x-b', PLAIN]),
];
const doubled = pairs.flatMap(([name, value]) => {
  const short = name.slice('webhook-'.length);
  const expected = short === 'id' ? 'not-canonical' : `refused ${short}-doubled`;
  return [
    plain(expected, `${name} doubled with the same value`, [...pairs.flat(), name, value]),
    plain(expected, `${name} doubled in another case`, [...pairs.flat(), name.toUpperCase(), value]),
    plain(expected, `${name} doubled with another value in front`, [name, 'x', ...pairs.flat()]),
    plain(expected, `${name} doubled with an empty value`, [...pairs.flat(), name, '']),
  ];
});
const lists: Vector[] = [
  plain('verified', 'broken, unknown and good signatures in one header', headersOf(`v1,AAAA v2,xyz ${PLAIN}`)),
  plain('verified', 'v1a beside v1', headersOf(`${STANDARD_V1A_PLAIN} ${PLAIN}`)),
  plain('verified', 'good signature first, another key after it', headersOf(`${PLAIN} ${STANDARD_S2_PLAIN}`)),
  plain('verified', 'two spaces between signatures', headersOf(`v2,xyz  ${PLAIN}`)),
  plain('verified', '64 signatures, the last good', headersOf([...Array<string>(63).fill(STANDARD_S2_PLAIN), PLAIN].join(' '))),
  plain(
    'refused too-many-signatures',
    '65 signatures, the last good',
    headersOf([...Array<string>(64).fill(STANDARD_S2_PLAIN), PLAIN].join(' ')),
  ),
  plain('refused signature-malformed', 'v2 alone with the v1 value', headersOf(`v2,${BASE64}`)),
  plain('refused signature-malformed', 'v1a alone', headersOf(STANDARD_V1A_PLAIN)),
  plain('refused signature-malformed', 'an empty list', headersOf('')),
  plain('refused signature-malformed', 'a list of spaces', headersOf('   ')),
  plain('refused signature-mismatch', 'the signature of another key', headersOf(STANDARD_S2_PLAIN)),
];
const encodings = [
  `V1,${BASE64}`,
  BASE64,
  `v1=${BASE64}`,
  `v1,"${BASE64}"`,
  `v1,${BASE64}=`,
  `v1,${BASE64.slice(0, 43)}`,
  `v1,${BASE64},`,
  `v1,${BASE64}\t`,
  `v1,${BASE64}\n`,
  `v1 ${BASE64}`,
  `v1, ${BASE64}`,
  `v1,${Buffer.from(BASE64, 'base64').toString('hex')}`,
  `v1,${Buffer.from(BASE64, 'base64').toString('base64url')}`,
  `v1,${BASE64.replace('/', '_')}`,
  `v1,${encodeURIComponent(BASE64)}`,
].map((value) => plain('refused signature-malformed', `signature written ${JSON.stringify(value)}`, headersOf(value)));
const timestamps = [
  ...[
    '1767225600.0',
    '+1767225600',
    ' 1767225600',
    '1767225600 ',
    '1e9',
    '0x69557f00',
    '-1767225600',
    '01767225600',
    '',
    '0',
    'now',
    'NaN',
  ],
  ...[
    'Infinity',
    '1,767,225,600',
    '1767225600s',
    '1767225600\n',
    '1_767_225_600',
    '\u00b9767225600',
    '1767225600000000',
    '2026-01-01T00:00:00Z',
  ],
].map((text) =>
  plain('refused timestamp-malformed', `timestamp ${JSON.stringify(text)}`, headersOf(signed(BODIES.plain, 'msg_1', text), 'msg_1', text)),
);
const times: Vector[] = [-1_000_000, -86_400, -3600, -301, -300, -299, -1, 0, 1, 299, 300, 301, 3600, 86_400, 1_000_000].map((age) => ({
  expected: Math.abs(age) <= 300 ? 'verified' : 'refused timestamp-outside-tolerance',
  title: `signed ${age} s before our clock`,
  headers: headersOf(PLAIN),
  body: BODIES.plain,
  now: NOW + age,
}));
const clocks: Vector[] = [NaN, Infinity, -Infinity].map((now) => ({
  expected: 'refused timestamp-outside-tolerance',
  title: `our own clock is ${now}`,
  headers: headersOf(PLAIN),
  body: BODIES.plain,
  now,
}));
const ids = [
  ...['k1', 'K1', 'a'.repeat(255), '!', '~', 'a/b', 'a,b', '%C3%A9'].map((id) => ({ id, expected: 'verified' })),
  ...['', 'k1 ', ' k1', 'k 1', 'k\t1', 'k\u00001', 'caf\u00e9', 'a'.repeat(256), 'msg.1', '.', 'k\u007f'].map((id) => ({
    id,
    expected: 'not-canonical',
  })),
].map(({ id, expected }) =>
  plain(expected, `webhook-id ${JSON.stringify(id.slice(0, 12))} of ${id.length}`, headersOf(signed(BODIES.plain, id), id)),
);
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
    headers: [...headersOf(PLAIN), 'content-encoding', 'gzip'],
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
    headers: headersOf(STANDARD_S1.bom),
    body: BODIES.bom.subarray(3),
  },
  {
    expected: 'refused signature-mismatch',
    title: 'body odd signed as it would be re-serialised',
    headers: headersOf(STANDARD_S1_RESERIALISED_ODD),
    body: BODIES.odd,
  },
  { expected: 'refused signature-mismatch', title: 'the signed id replaced', headers: headersOf(PLAIN, 'msg_2'), body: BODIES.plain },
  {
    expected: 'refused signature-mismatch',
    title: 'the signed time replaced',
    headers: headersOf(PLAIN, 'msg_1', String(NOW + 1)),
    body: BODIES.plain,
  },
];
const secrets: Vector[] = [
  { expected: 'refused signature-mismatch', title: 'no active key', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [] },
  {
    expected: 'refused signature-mismatch',
    title: 'the stand-in for no key',
    headers: headersOf(signed(BODIES.plain, 'msg_1', String(NOW), Buffer.alloc(32))),
    body: BODIES.plain,
    secrets: [],
  },
  { expected: 'refused signature-mismatch', title: 'only the other secret', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [S2] },
  { expected: 'verified', title: 'the old of two secrets', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [S1, S2] },
  { expected: 'verified', title: 'the new of two secrets', headers: headersOf(PLAIN), body: BODIES.plain, secrets: [S2, S1] },
  {
    expected: 'verified',
    title: '64 secrets, the last fits',
    headers: headersOf(PLAIN),
    body: BODIES.plain,
    secrets: [...Array<Buffer>(63).fill(S2), S1],
  },
  {
    expected: 'refused signature-mismatch',
    title: '64 secrets, none fits',
    headers: headersOf(PLAIN),
    body: BODIES.plain,
    secrets: Array<Buffer>(64).fill(S2),
  },
];
/** Every vector of the scheme, by the answer it must get. */
export const vectors = [
  ...[
    published,
    crossed,
    flips,
    alterations,
    truncations,
    orders,
    nameCases,
    missing,
    doubled,
    lists,
    encodings,
    timestamps,
    times,
    clocks,
  ],
  ...[ids, bodies, secrets],
].flat();
