import { readBlobs, type StoredBlob } from '@connector/artifacts/reads/blobs';
import { putBlob } from '@connector/artifacts/transitions/put-blob.tx';
import {
  type ArtifactRegistry,
  BLOBS_AT_ONCE_MAX,
  type BlobGot,
  digestsOf,
  sameDigests,
} from '@connector/catalog/contract/artifact-registry';
import { invariant, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, type RetryPolicy, retrying } from '@connector/platform/db/retrying';

const UNAVAILABLE = { kind: 'unavailable' } as const;

/** The artifact registry as tables of this database under a user of their own (decisions 12.4). */
export function artifactsInDatabase(db: Db, policy: RetryPolicy = ANSWER_SOON): ArtifactRegistry {
  return {
    put: (said, blob) => reached(() => retrying(policy, () => putBlob(db, said, blob))).then((answer) => answer ?? UNAVAILABLE),
    get: async (digests) => {
      invariant(digests.length <= BLOBS_AT_ONCE_MAX, 'HOUSE:catalog:BlobsAtOnce', `${digests.length} blobs asked for at once`);
      const stored = await reached(() => retrying(policy, () => readBlobs(db, digests)));
      if (stored === undefined) return digests.map(() => UNAVAILABLE);
      const found = new Map(stored.map((blob) => [blob.componentDigest, verified(blob)]));
      return digests.map((digest) => found.get(digest) ?? { kind: 'absent' });
    },
  };
}

/** Bytes are hashed again whenever they are read: what stands under a digest and is not of it is no blob (cat:DIG-12). */
const verified = (blob: StoredBlob): BlobGot => (sameDigests(blob, digestsOf(blob)) ? { kind: 'found', ...blob } : { kind: 'corrupt' });

/** undefined where the database did not answer in time: another day it may. */
async function reached<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof RetryableFault || thrown instanceof UndeterminedFault) return undefined;
    throw thrown;
  }
}
