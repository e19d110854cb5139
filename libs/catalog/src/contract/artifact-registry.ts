import type { Digest } from '@connector/kernel/digest';
import { componentDigest, rawSha256 } from '../model/release-digests';

/** Behaviour bytes as their kind made them canonical. */
export interface Blob {
  readonly componentKind: string;
  readonly formatVersion: number;
  /** At most 4 MiB. */
  readonly bytes: Buffer;
}

/** How a blob is asked for and how it was sent: its identity, and what transport says of it (cat:A-04, cat:DIG-13). */
export interface BlobDigests {
  readonly componentDigest: Digest;
  readonly rawSha256: Digest;
}

export type StoredBlob =
  | { readonly kind: 'stored' | 'already-stored' }
  /** Nothing was stored: these are the digests of the bytes that came. */
  | ({ readonly kind: 'digest-differs' } & BlobDigests)
  /** What stands under the digest is not of it. */
  | { readonly kind: 'corrupt' };
export type BlobPut = StoredBlob | { readonly kind: 'unavailable' };

export type BlobGot = ({ readonly kind: 'found' } & Blob & BlobDigests) | { readonly kind: 'absent' | 'corrupt' | 'unavailable' };

/** What one `get` may name: sixteen blobs are at most 64 MiB. */
export const BLOBS_AT_ONCE_MAX = 16;

/**
 * The artifact registry: bytes by content, insert-only (cat:REG-09). Both digests are verified when bytes come and when they are read again;
 * absent, corrupt and unavailable are three answers, and only the last may be another one later.
 */
export interface ArtifactRegistry {
  put(said: BlobDigests, blob: Blob): Promise<BlobPut>;
  /** One answer a digest, in their order. At most `BLOBS_AT_ONCE_MAX`. */
  get(digests: readonly Digest[]): Promise<readonly BlobGot[]>;
}

/** What these bytes are, whatever anybody says of them. */
export function digestsOf({ componentKind, formatVersion, bytes }: Blob): BlobDigests {
  return { componentDigest: componentDigest(componentKind, formatVersion, bytes), rawSha256: rawSha256(bytes) };
}

export const sameDigests = (left: BlobDigests, right: BlobDigests): boolean =>
  left.componentDigest === right.componentDigest && left.rawSha256 === right.rawSha256;
