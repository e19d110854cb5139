import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { AttemptId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catPublicationBarrier } from '@connector/schema/catalog/barriers';

const COLUMNS = ['organization_id', 'app_installation_id', 'barrier_fence', 'holder_fence', 'attempt_id'] as const;
const HELD = readRows(catPublicationBarrier, COLUMNS, 'WHERE attempt_id IS NOT NULL ORDER BY attempt_id LIMIT 100', 'held');

export interface HeldBarrier {
  readonly organization: string;
  readonly installation: string;
  readonly attemptId: AttemptId;
  readonly barrierFence: BarrierFence;
  readonly holderFence: BarrierHolderFence;
}

/** At most 100. */
export async function readHeldBarriers(db: Db): Promise<readonly HeldBarrier[]> {
  return (await db.read(HELD, {})).flatMap(({ attempt_id: attemptId, ...row }) =>
    attemptId === null
      ? []
      : [
          {
            ...{ organization: row.organization_id, installation: row.app_installation_id },
            ...{ attemptId, barrierFence: row.barrier_fence, holderFence: row.holder_fence },
          },
        ],
  );
}
