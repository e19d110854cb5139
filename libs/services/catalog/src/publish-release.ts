import type { ArtifactRegistry } from '@connector/catalog/contract/artifact-registry';
import type { DetachedAttestation } from '@connector/catalog/model/attestation';
import type { PlacedFault } from '@connector/catalog/model/faults';
import { openRelease } from '@connector/catalog/model/release';
import type { RequestKey } from '@connector/catalog/model/request';
import { type RegisteredRelease, registerRelease } from '@connector/catalog/transitions/registry/register-release.tx';
import type { Digest } from '@connector/kernel/digest';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { fetchBlobs } from './release-blobs';

export interface PublishRelease {
  readonly manifest: Buffer;
  readonly bundle: Buffer;
  readonly attestation: DetachedAttestation;
}
export type PublishedRelease =
  | RegisteredRelease
  | { readonly kind: 'faulty'; readonly faults: readonly PlacedFault[]; readonly more: number }
  | { readonly kind: 'blob-corrupt'; readonly code: 'DIGEST_MISMATCH'; readonly componentDigest: Digest }
  | { readonly kind: 'unavailable'; readonly code: 'OWNER_UNAVAILABLE' };

/**
 * Fetches the blobs, checks the whole release by its bytes, and registers it. Bytes are judged before any lock is taken, and again nowhere: they
 * are what they are. Whatever the artifact registry says it found is hashed here once more (cat:REG-04, cat:REG-05, cat:SLOT-16).
 */
export async function publishRelease(
  db: Db,
  artifacts: ArtifactRegistry,
  { manifest, bundle, attestation }: PublishRelease,
  request: RequestKey,
): Promise<PublishedRelease> {
  const opened = openRelease({ manifest, bundle });
  const fetched = await fetchBlobs(artifacts, opened);
  if (fetched.kind === 'unavailable') return { kind: 'unavailable', code: 'OWNER_UNAVAILABLE' };
  if (fetched.kind === 'corrupt') return { kind: 'blob-corrupt', code: 'DIGEST_MISMATCH', componentDigest: fetched.componentDigest };
  const checked = opened.check((digest) => fetched.blobs.get(digest));
  if (checked.kind === 'faulty') return checked;
  return retrying(ANSWER_SOON, () => registerRelease(db, { release: checked.release, attestation }, request));
}
