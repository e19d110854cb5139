import type { VerificationScheme } from '@connector/packs/model/verification-schemes';

/** `help` never repeats the text. */
export type ParseSecret = { readonly kind: 'secret'; readonly secret: Buffer } | { readonly kind: 'malformed'; readonly help: string };

interface KeyForm {
  readonly prefix: string;
  readonly bytesMin: number;
  readonly bytesMax: number;
}
const PUBLIC_KEY = 'whpk_';
const KEY_FORMS: Readonly<Partial<Record<VerificationScheme, KeyForm>>> = {
  'standard-webhooks': { prefix: 'whsec_', bytesMin: 24, bytesMax: 64 },
  'standard-webhooks-v1a': { prefix: PUBLIC_KEY, bytesMin: 32, bytesMax: 32 },
};
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The bytes of a channel key from the text that providers show to people. Nothing is trimmed. */
export function parseSecret(scheme: VerificationScheme, text: string): ParseSecret {
  const form = KEY_FORMS[scheme];
  return form === undefined ? parsePlain(text) : parsePrefixed(form, text);
}

function parsePrefixed({ prefix, bytesMin, bytesMax }: KeyForm, text: string): ParseSecret {
  const base64 = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  if (!BASE64.test(base64)) return { kind: 'malformed', help: `expected ${prefix} and standard base64, with nothing before or after` };
  const secret = Buffer.from(base64, 'base64');
  if (secret.toString('base64') !== base64) return { kind: 'malformed', help: `the base64 after ${prefix} is not canonical` };
  if (secret.length < bytesMin || secret.length > bytesMax) {
    const expected = bytesMin === bytesMax ? `${bytesMin}` : `${bytesMin} to ${bytesMax}`;
    return { kind: 'malformed', help: `a key after ${prefix} has ${expected} bytes, found ${secret.length}` };
  }
  if (prefix === PUBLIC_KEY && isSmallOrder(secret)) return { kind: 'malformed', help: 'for this public key everybody could sign' };
  return { kind: 'secret', secret };
}

/** The points of order 1, 2, 4 and 8 of Ed25519, in every spelling, by the y of their encoding: OpenSSL takes any 32 bytes for a key. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

function isSmallOrder(bytes: Buffer): boolean {
  const y = Buffer.from(bytes);
  y.writeUInt8((y.at(-1) ?? 0) & 0x7f, y.length - 1);
  return SMALL_ORDER.has(y.toString('hex'));
}

/** A newline at the end is the usual accident of a secret kept in a file: it would verify nothing, so it is named here. */
function parsePlain(text: string): ParseSecret {
  if (text === '') return { kind: 'malformed', help: 'the secret is empty' };
  if (text !== text.trim()) return { kind: 'malformed', help: 'the secret begins or ends with white space' };
  return { kind: 'secret', secret: Buffer.from(text, 'utf8') };
}
