/**
 * release-barrier: an installation may be authored again
 *
 * why     Nothing else opens a barrier, no time above all (cat:INT-17): whoever holds it says that the activation is over, or that it is given up.
 * paths   release-barrier
 * locks   barrier
 * fence   held by this attempt under this barrier fence; the holder fence not below the one that has it.
 * again   Attempt and barrier fence: `already-released`.
 */
import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { AttemptId } from '@connector/kernel/ids';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catPublicationBarrier } from '@connector/schema/catalog/barriers';
import { audit } from '../../fences/audit';
import { barrierKey, type BarrierScope, lockBarrier } from '../../fences/barrier';
import { catalogDoors } from '../../model/paths';

export interface ReleaseBarrier extends BarrierScope {
  readonly attemptId: AttemptId;
  readonly barrierFence: BarrierFence;
  readonly holderFence: BarrierHolderFence;
  /** What became of the attempt, for people. */
  readonly outcome: string;
}
export type ReleasedBarrier =
  | { readonly kind: 'released' | 'already-released' | 'no-installation' }
  /** Of another attempt or hold, or of a holder that was overtaken. */
  | { readonly kind: 'stale'; readonly barrierFence: BarrierFence; readonly holderFence: BarrierHolderFence };

const RELEASE = updateRows(
  catPublicationBarrier,
  `SET state = 'open', attempt_id = NULL, receipt = NULL, holder_fence = :holder_fence
   WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id
     AND state = 'held' AND attempt_id = :attempt_id AND barrier_fence = :barrier_fence AND holder_fence <= :holder_fence`,
  'release',
);

export function releaseBarrier(db: Db, input: ReleaseBarrier): Promise<ReleasedBarrier> {
  const { attemptId: attempt_id, barrierFence: barrier_fence, holderFence: holder_fence } = input;
  return db.fenced(catalogDoors['release-barrier'], async (tx) => {
    const row = await lockBarrier(tx, input);
    if (row === undefined) return { kind: 'no-installation' };
    if (await tx.cas(RELEASE, { ...barrierKey(input), attempt_id, barrier_fence, holder_fence })) {
      const details = { installation: input.installation, attempt_id, barrier_fence: barrier_fence.toString(), outcome: input.outcome };
      await audit(tx, { caller: 'cutover-coordinator', subject: input.organization, details });
      return { kind: 'released' };
    }
    const ours = row.state === 'open' && row.barrier_fence === barrier_fence && row.holder_fence <= holder_fence;
    return ours ? { kind: 'already-released' } : { kind: 'stale', barrierFence: row.barrier_fence, holderFence: row.holder_fence };
  });
}
