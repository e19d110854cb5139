import { createPublicKey, verify } from 'node:crypto';
import type { Brand, Instant } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import type { PublisherId } from './identifier';

/** Ours: `ed25519:` and the SHA-256 of the 32 raw bytes of the public key. It names the key and nothing else could be meant. */
export type KeyId = Brand<string, 'KeyId'>;
const KEY_ID = /^ed25519:[0-9a-f]{64}$/;

export const KeyId = {
  is: (text: string): text is KeyId => KEY_ID.test(text),
  parse(text: string): KeyId {
    if (KeyId.is(text)) return text;
    throw new InputFault('CATALOG:ID_NOT_CANONICAL', 'expected ed25519: and 64 lower-case hex digits');
  },
  of(publicKey: Uint8Array): KeyId {
    if (publicKey.length !== 32)
      throw new InputFault('CATALOG:KEY_NOT_CANONICAL', `an Ed25519 key has 32 bytes, found ${publicKey.length}`);
    return `ed25519:${Digest.sha256(publicKey).slice(7)}` as KeyId;
  },
};

/** A key that the operator accepts for a publisher, from `validFrom` until before `validUntil` (cat:PUB-03). */
export interface PublisherKey {
  readonly keyId: KeyId;
  readonly publisherId: PublisherId;
  /** 32 raw bytes. */
  readonly publicKey: Buffer;
  readonly validFrom: Instant;
  readonly validUntil: Instant | null;
  readonly revokedAt: Instant | null;
}

export type KeyRefusal = 'KEY_UNKNOWN' | 'KEY_FOREIGN' | 'KEY_REVOKED' | 'KEY_NOT_YET_VALID' | 'KEY_EXPIRED';

/**
 * Whether the key may speak for the publisher at the instant, which is the database's (cat:A-18). Instants have one width, so they compare as
 * texts. A revoked key speaks for nobody, whatever the instant that its signer claims.
 */
export function refusalOfKey(key: PublisherKey | undefined, publisher: PublisherId, at: Instant): KeyRefusal | undefined {
  if (key === undefined) return 'KEY_UNKNOWN';
  if (key.publisherId !== publisher) return 'KEY_FOREIGN';
  if (key.revokedAt !== null) return 'KEY_REVOKED';
  if (at < key.validFrom) return 'KEY_NOT_YET_VALID';
  return key.validUntil !== null && at >= key.validUntil ? 'KEY_EXPIRED' : undefined;
}

/** y of 2^255 - 19 and more is another spelling of a smaller one. Little-endian, without the sign bit. */
const FIELD = (1n << 255n) - 19n;
/** y of the eight points whose order divides 8: the signature of nothing holds under them for every statement. */
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  FIELD - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** The d of the curve, -x^2 + y^2 = 1 + d x^2 y^2. */
const CURVE_D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

function yOf(publicKey: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(publicKey).reverse().toString('hex')}`) & ((1n << 255n) - 1n);
}

/** Whether 32 bytes are an Ed25519 key that one holder has, written in the one way. Node's crypto takes the others too. */
function isOneHoldersKey(publicKey: Uint8Array): boolean {
  const y = yOf(publicKey);
  return y < FIELD && !SMALL_ORDER_Y.has(y);
}

/** Whether the curve has an x for this y: (y^2 - 1) / (d y^2 + 1) is a square. Of all y half have none, and nobody signs under those. */
function isOfCurve(y: bigint): boolean {
  let power = (((y * y - 1n) % FIELD) * ((CURVE_D * y * y + 1n) % FIELD)) % FIELD;
  let residue = 1n;
  for (let exponent = (FIELD - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) residue = (residue * power) % FIELD;
    power = (power * power) % FIELD;
  }
  return residue === 1n;
}

/** cat:PUB-03: InputFault `CATALOG:KEY_NOT_CANONICAL` for bytes that can tie a publisher to nobody in particular. */
export function requireSoundKey(publicKey: Uint8Array): void {
  if (publicKey.length === 32 && isOneHoldersKey(publicKey) && isOfCurve(yOf(publicKey))) return;
  throw new InputFault('CATALOG:KEY_NOT_CANONICAL', 'an Ed25519 key is the canonical encoding of a point that is not of small order');
}

/** What is signed: `separator 00 statement bytes`. */
export function signedBytes(separator: string, statement: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${separator}\0`, 'utf8'), statement]);
}

/** Ed25519 over `separator 00 statement`. False for a signature of another length or bytes that are nobody's key. */
export function signatureHolds(publicKey: Uint8Array, separator: string, statement: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64 || !isOneHoldersKey(publicKey)) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, signedBytes(separator, statement), key, signature);
}
