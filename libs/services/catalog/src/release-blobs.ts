import { type ArtifactRegistry, BLOBS_AT_ONCE_MAX } from '@connector/catalog/contract/artifact-registry';
import { RELEASE_LIMITS } from '@connector/catalog/model/limits';
import type { OpenedRelease } from '@connector/catalog/model/release';
import type { Digest } from '@connector/kernel/digest';

/** The behaviour bytes that a bundle names. What is absent is simply not among them: whoever checks the release says so by its place. */
export type ReleaseBlobs =
  | { readonly kind: 'fetched'; readonly blobs: ReadonlyMap<Digest, Buffer> }
  | { readonly kind: 'corrupt'; readonly componentDigest: Digest }
  | { readonly kind: 'unavailable' };

/** Fetches until the release would be above its limit (decisions 12.10): the check then refuses it, and nothing more is read. */
export async function fetchBlobs(artifacts: ArtifactRegistry, { needed }: OpenedRelease): Promise<ReleaseBlobs> {
  const blobs = new Map<Digest, Buffer>();
  let weight = 0;
  for (let at = 0; at < needed.length && weight <= RELEASE_LIMITS.release; at += BLOBS_AT_ONCE_MAX) {
    const part = needed.slice(at, at + BLOBS_AT_ONCE_MAX);
    for (const [index, got] of (await artifacts.get(part)).entries()) {
      const digest = part[index];
      if (digest === undefined) break;
      if (got.kind === 'unavailable') return { kind: 'unavailable' };
      if (got.kind === 'corrupt') return { kind: 'corrupt', componentDigest: digest };
      if (got.kind !== 'found') continue;
      blobs.set(digest, got.bytes);
      weight += got.bytes.length;
    }
  }
  return { kind: 'fetched', blobs };
}
