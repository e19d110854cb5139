import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { AttemptId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { RowOf } from '@connector/kernel/table';
import type { Db } from '@connector/platform/db/db';
import { catPublicationBarrier } from '@connector/schema/catalog/barriers';
import { mostOf } from './page';

const COLUMNS = ['organization_id', 'app_installation_id', 'barrier_fence', 'holder_fence', 'attempt_id'] as const;
const HELD_MAX = 100;
const HELD = readRows(catPublicationBarrier, COLUMNS, `WHERE attempt_id IS NOT NULL ORDER BY attempt_id LIMIT ${HELD_MAX + 1}`, 'held');
const OF_ATTEMPT = readRows(
  catPublicationBarrier,
  COLUMNS,
  `WHERE attempt_id = :attempt_id ORDER BY organization_id, app_installation_id LIMIT ${HELD_MAX}`,
  'of-attempt',
);

export interface HeldBarrier {
  readonly organization: string;
  readonly installation: string;
  readonly attemptId: AttemptId;
  readonly barrierFence: BarrierFence;
  readonly holderFence: BarrierHolderFence;
}

/** At most 100, in the order of their attempts, and whether there are more. */
export async function readHeldBarriers(db: Db): Promise<{ readonly held: readonly HeldBarrier[]; readonly more: boolean }> {
  const { rows, more } = mostOf(await db.read(HELD, {}), HELD_MAX);
  return { held: rows.flatMap(heldIn), more };
}

/** What one attempt holds, of one scope each and at most 100 of them. */
export async function readBarriersOf(db: Db, attemptId: AttemptId): Promise<readonly HeldBarrier[]> {
  return (await db.read(OF_ATTEMPT, { attempt_id: attemptId })).flatMap(heldIn);
}

type Row = Pick<RowOf<typeof catPublicationBarrier>, (typeof COLUMNS)[number]>;
function heldIn({ attempt_id: attemptId, ...row }: Row): readonly HeldBarrier[] {
  if (attemptId === null) return [];
  const scope = { organization: row.organization_id, installation: row.app_installation_id };
  return [{ ...scope, attemptId, barrierFence: row.barrier_fence, holderFence: row.holder_fence }];
}
