import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { AttemptId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckPublicationBarrier } from '@connector/schema/packs/packs';

const COLUMNS = ['organization_id', 'barrier_fence', 'holder_fence', 'attempt_id'] as const;
const HELD = readRows(pckPublicationBarrier, COLUMNS, 'WHERE attempt_id IS NOT NULL ORDER BY attempt_id LIMIT 100', 'held');

export interface HeldPackBarrier {
  readonly organization: string;
  readonly attemptId: AttemptId;
  readonly barrierFence: BarrierFence;
  readonly holderFence: BarrierHolderFence;
}

/** At most 100. */
export async function readHeldPackBarriers(db: Db): Promise<readonly HeldPackBarrier[]> {
  return (await db.read(HELD, {})).flatMap(({ attempt_id: attemptId, ...row }) =>
    attemptId === null
      ? []
      : [{ organization: row.organization_id, attemptId, barrierFence: row.barrier_fence, holderFence: row.holder_fence }],
  );
}
