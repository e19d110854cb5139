import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { AttemptId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { RowOf } from '@connector/kernel/table';
import type { Db } from '@connector/platform/db/db';
import { pckPublicationBarrier } from '@connector/schema/packs/packs';

const COLUMNS = ['organization_id', 'barrier_fence', 'holder_fence', 'attempt_id'] as const;
const HELD_MAX = 100;
const HELD = readRows(pckPublicationBarrier, COLUMNS, `WHERE attempt_id IS NOT NULL ORDER BY attempt_id LIMIT ${HELD_MAX + 1}`, 'held');
const OF_ATTEMPT = readRows(
  pckPublicationBarrier,
  COLUMNS,
  `WHERE attempt_id = :attempt_id ORDER BY organization_id LIMIT ${HELD_MAX}`,
  'of-attempt',
);

export interface HeldPackBarrier {
  readonly organization: string;
  readonly attemptId: AttemptId;
  readonly barrierFence: BarrierFence;
  readonly holderFence: BarrierHolderFence;
}

/** At most 100, in the order of their attempts, and whether there are more. */
export async function readHeldPackBarriers(db: Db): Promise<{ readonly held: readonly HeldPackBarrier[]; readonly more: boolean }> {
  const rows = await db.read(HELD, {});
  return { held: rows.slice(0, HELD_MAX).flatMap(heldIn), more: rows.length > HELD_MAX };
}

/** What one attempt holds, of one organization each and at most 100 of them. */
export async function readPackBarriersOf(db: Db, attemptId: AttemptId): Promise<readonly HeldPackBarrier[]> {
  return (await db.read(OF_ATTEMPT, { attempt_id: attemptId })).flatMap(heldIn);
}

type Row = Pick<RowOf<typeof pckPublicationBarrier>, (typeof COLUMNS)[number]>;
function heldIn({ attempt_id: attemptId, ...row }: Row): readonly HeldPackBarrier[] {
  if (attemptId === null) return [];
  return [{ organization: row.organization_id, attemptId, barrierFence: row.barrier_fence, holderFence: row.holder_fence }];
}
