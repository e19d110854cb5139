import type { Digest } from '@connector/kernel/digest';
import type { EpochId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { loadEpochView } from './load-epoch-view';
import type { EpochView } from './epoch-view';

/** More than two epochs are never alive at once: the active one, and a draining one whose work ends. */
const KEPT = 4;

/**
 * What epochs froze, loaded by exact id and digest and kept: the content of a digest never changes, so a cached view is never stale
 * and no service needs Catalog to run (decisions 12.8).
 */
export class EpochViews {
  readonly #db: Db;
  readonly #views = new Map<Digest, Promise<EpochView>>();

  constructor(db: Db) {
    this.#db = db;
  }

  of(epoch: { readonly epochId: EpochId; readonly epochDigest: Digest }): Promise<EpochView> {
    const kept = this.#views.get(epoch.epochDigest);
    if (kept !== undefined) return kept;
    const loading = loadEpochView(this.#db, epoch.epochId, epoch.epochDigest);
    this.#views.set(epoch.epochDigest, loading);
    loading.catch(() => this.#views.delete(epoch.epochDigest));
    for (const digest of [...this.#views.keys()].slice(0, -KEPT)) this.#views.delete(digest);
    return loading;
  }
}
