import type { VerificationScheme } from './scheme';

/** `help` never repeats the text. */
export type ParseSecret = { readonly kind: 'secret'; readonly secret: Buffer } | { readonly kind: 'malformed'; readonly help: string };

const WHSEC = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const BYTES_MIN = 24;
const BYTES_MAX = 64;

/** The bytes of a channel key from the text that providers show to people. Nothing is trimmed. */
export function parseSecret(scheme: VerificationScheme, text: string): ParseSecret {
  return scheme === 'standard-webhooks' ? parseWhsec(text) : parsePlain(text);
}

function parseWhsec(text: string): ParseSecret {
  const base64 = WHSEC.exec(text)?.[1];
  if (base64 === undefined) return { kind: 'malformed', help: 'expected whsec_ and standard base64, with nothing before or after' };
  const secret = Buffer.from(base64, 'base64');
  if (secret.toString('base64') !== base64) return { kind: 'malformed', help: 'the base64 after whsec_ is not canonical' };
  if (secret.length < BYTES_MIN || secret.length > BYTES_MAX) {
    return { kind: 'malformed', help: `a secret has ${BYTES_MIN} to ${BYTES_MAX} bytes, found ${secret.length}` };
  }
  return { kind: 'secret', secret };
}

/** A newline at the end is the usual accident of a secret kept in a file: it would verify nothing, so it is named here. */
function parsePlain(text: string): ParseSecret {
  if (text === '') return { kind: 'malformed', help: 'the secret is empty' };
  if (text !== text.trim()) return { kind: 'malformed', help: 'the secret begins or ends with white space' };
  return { kind: 'secret', secret: Buffer.from(text, 'utf8') };
}
