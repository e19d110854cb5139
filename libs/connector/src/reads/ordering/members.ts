import type { Instant } from '@connector/kernel/brand';
import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { positionText, type PositionKind } from '../../model/ordering/position';

export const MEMBERS_MAX = 100;
const MEMBERS = readRows(
  conExecution,
  ['execution_id', 'source_position', 'state', 'attempt_count', 'minted_at'],
  `WHERE open_lane = :open_lane ORDER BY source_position, tie_breaker, execution_id LIMIT ${MEMBERS_MAX}`,
  'members',
);

/** An execution that waits or is at work in a lane. */
export interface MemberView {
  readonly execution_id: ExecutionId;
  readonly position: string;
  readonly state: string;
  readonly attempts: number;
  readonly minted_at: Instant;
}

/** Whose turn it is: the lowest position of a strict lane, the greatest of a latest one. */
export function nextOf(contract: string, members: readonly MemberView[]): MemberView | undefined {
  return contract === 'strict_source_sequence' ? members[0] : members.at(-1);
}

/** The unfinished executions of a lane in its order, the lowest 100. */
export async function membersOf(db: Db, laneId: LaneId, kind: PositionKind): Promise<readonly MemberView[]> {
  const rows = await db.read(MEMBERS, { open_lane: laneId });
  return rows.map(({ source_position, attempt_count, ...row }) => ({
    ...row,
    position: positionText(kind, source_position ?? Buffer.alloc(0)),
    attempts: attempt_count,
  }));
}
