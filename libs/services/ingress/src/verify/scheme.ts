import type { HeaderList } from './header-list';

export const REFUSAL_REASONS = [
  'signature-missing',
  'signature-doubled',
  'signature-malformed',
  'too-many-signatures',
  'timestamp-missing',
  'timestamp-doubled',
  'timestamp-malformed',
  'timestamp-outside-tolerance',
  'signature-mismatch',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** `help` is for the honest sender: the header and what was expected. It depends on no key. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly help: string;
}
/** Nothing to admit under: answer 400. */
export interface TransportKeyMissing {
  readonly kind: 'transport-key-missing';
  readonly help: string;
}
/** The transport key is doubled, or is not 1 to 255 bytes of visible ASCII as the scheme wants them: answer 400. */
export interface NotCanonical {
  readonly kind: 'not-canonical';
  readonly help: string;
}
export type Unverifiable = Refused | TransportKeyMissing | NotCanonical;

/** What a sender claims: one of these texts proves, in the way of the scheme, that it knows a key and means `signedPrefix` and the body. */
export interface Claim {
  readonly kind: 'claim';
  /** Undefined where the scheme has no id of a delivery: then equal bodies are the same delivery. */
  readonly transportKey: string | undefined;
  readonly signedPrefix: string;
  readonly signatures: readonly Buffer[];
  /** Unix seconds that the signature covers; undefined where the scheme has none. */
  readonly timestamp: number | undefined;
}

/** How a signature is made: an HMAC-SHA256 under a shared secret as text, or an Ed25519 signature in base64 that a public key proves. */
export type Proof = 'hmac-base64' | 'hmac-hex' | 'ed25519';

export interface SchemeReader {
  readonly signatureHeader: string;
  readonly proof: Proof;
  /** Where the transport key stands unless the route names another header; undefined where the scheme has none. */
  readonly transportKeyHeader: string | undefined;
  /** The signature covers the transport key, so no other header can hold it. */
  readonly transportKeySigned: boolean;
  read(headers: HeaderList, transportKeyHeader: string | undefined): Claim | Unverifiable;
}

/** More signatures in one header than this are refused before one is computed. */
export const SIGNATURES_MAX = 64;
/** The same for signatures that each cost a walk over the whole body. */
export const ASYMMETRIC_SIGNATURES_MAX = 8;

export function refused(reason: RefusalReason, help: string): Refused {
  return { kind: 'refused', reason, help };
}
