import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import type { Proof } from './scheme';

/** Whether one of these signatures, as texts, is made over `prefix` and `body` with this key. Without an early way out. */
type Fits = (key: Buffer, prefix: Buffer, body: Buffer, signatures: readonly Buffer[]) => boolean;

export const PROOFS: Readonly<Record<Proof, Fits>> = {
  'hmac-base64': hmac('base64'),
  'hmac-hex': hmac('hex'),
  ed25519,
};

/** Encoded texts are compared: no second spelling of the same bytes can pass. */
function hmac(encoding: 'base64' | 'hex'): Fits {
  return (key, prefix, body, signatures) => {
    const expected = Buffer.from(createHmac('sha256', key).update(prefix).update(body).digest(encoding), 'latin1');
    return any(signatures, (signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
  };
}

/** What stands before the 32 bytes of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

function ed25519(key: Buffer, prefix: Buffer, body: Buffer, signatures: readonly Buffer[]): boolean {
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, key]), format: 'der', type: 'spki' });
  const signed = Buffer.concat([prefix, body]);
  return any(signatures, (text) => {
    const signature = Buffer.from(text.toString('latin1'), 'base64');
    return signature.toString('base64') === text.toString('latin1') && verify(null, signed, publicKey, signature);
  });
}

function any(signatures: readonly Buffer[], fits: (signature: Buffer) => boolean): boolean {
  let found = false;
  for (const signature of signatures) found = fits(signature) || found;
  return found;
}
