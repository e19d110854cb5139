/**
 * release-pack-barrier: an organization may register packs again
 *
 * why     Nothing else opens a barrier, no time above all (cat:INT-17): whoever holds it says that the activation is over, or that it is given up.
 * paths   release-pack-barrier
 * locks   barrier
 * fence   held by this attempt under this barrier fence; the holder fence not below the one that has it.
 * again   Attempt and barrier fence: `already-released`.
 */
import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { AttemptId } from '@connector/kernel/ids';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckPublicationBarrier } from '@connector/schema/packs/packs';
import { audit } from '../fences/audit';
import { lockPackBarrier } from '../fences/barrier';
import { packDoors } from '../model/paths';

export interface ReleasePackBarrier {
  readonly organization: string;
  readonly attemptId: AttemptId;
  readonly barrierFence: BarrierFence;
  readonly holderFence: BarrierHolderFence;
  /** What became of the attempt, for people. */
  readonly outcome: string;
}
export type ReleasedPackBarrier =
  | { readonly kind: 'released' | 'already-released' | 'no-packs' }
  /** Of another attempt or hold, or of a holder that was overtaken. */
  | { readonly kind: 'stale'; readonly barrierFence: BarrierFence; readonly holderFence: BarrierHolderFence };

const RELEASE = updateRows(
  pckPublicationBarrier,
  `SET state = 'open', attempt_id = NULL, receipt = NULL, holder_fence = :holder_fence
   WHERE organization_id = :organization_id AND state = 'held' AND attempt_id = :attempt_id AND barrier_fence = :barrier_fence
     AND holder_fence <= :holder_fence`,
  'release',
);

export function releasePackBarrier(db: Db, input: ReleasePackBarrier): Promise<ReleasedPackBarrier> {
  const { organization: organization_id, attemptId: attempt_id, barrierFence: barrier_fence, holderFence: holder_fence } = input;
  return db.fenced(packDoors['release-pack-barrier'], async (tx) => {
    const row = await lockPackBarrier(tx, organization_id);
    if (row === undefined) return { kind: 'no-packs' };
    if (await tx.cas(RELEASE, { organization_id, attempt_id, barrier_fence, holder_fence })) {
      const details = { attempt_id, barrier_fence: barrier_fence.toString(), outcome: input.outcome };
      await audit(tx, { caller: 'cutover-coordinator', organization: organization_id, details });
      return { kind: 'released' };
    }
    const ours = row.state === 'open' && row.barrier_fence === barrier_fence && row.holder_fence <= holder_fence;
    return ours ? { kind: 'already-released' } : { kind: 'stale', barrierFence: row.barrier_fence, holderFence: row.holder_fence };
  });
}
