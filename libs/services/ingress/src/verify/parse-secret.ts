import type { VerificationScheme } from './scheme';

/** `help` never repeats the text. */
export type ParseSecret = { readonly kind: 'secret'; readonly secret: Buffer } | { readonly kind: 'malformed'; readonly help: string };

interface KeyForm {
  readonly prefix: string;
  readonly bytesMin: number;
  readonly bytesMax: number;
}
const KEY_FORMS: Readonly<Partial<Record<VerificationScheme, KeyForm>>> = {
  'standard-webhooks': { prefix: 'whsec_', bytesMin: 24, bytesMax: 64 },
  'standard-webhooks-v1a': { prefix: 'whpk_', bytesMin: 32, bytesMax: 32 },
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
  return { kind: 'secret', secret };
}

/** A newline at the end is the usual accident of a secret kept in a file: it would verify nothing, so it is named here. */
function parsePlain(text: string): ParseSecret {
  if (text === '') return { kind: 'malformed', help: 'the secret is empty' };
  if (text !== text.trim()) return { kind: 'malformed', help: 'the secret begins or ends with white space' };
  return { kind: 'secret', secret: Buffer.from(text, 'utf8') };
}
