import type { Instant } from '@connector/kernel/brand';
import type { ExecutionId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { positionText } from '../../model/ordering/position';
import { kindOf, type LaneFacts } from './lane-row';

export const MEMBERS_MAX = 100;
const COLUMNS = ['execution_id', 'source_position', 'state', 'attempt_count', 'minted_at'] as const;
const LOWEST = readRows(
  conExecution,
  COLUMNS,
  `WHERE open_lane = :open_lane ORDER BY source_position, tie_breaker, execution_id LIMIT ${MEMBERS_MAX}`,
  'lowest-members',
);
const GREATEST = readRows(
  conExecution,
  COLUMNS,
  `WHERE open_lane = :open_lane ORDER BY source_position DESC, tie_breaker DESC, execution_id DESC LIMIT ${MEMBERS_MAX}`,
  'greatest-members',
);

/** An execution that waits or is at work in a lane. */
export interface MemberView {
  readonly execution_id: ExecutionId;
  readonly position: string;
  readonly state: string;
  readonly attempts: number;
  readonly minted_at: Instant;
}

/** The unfinished executions of a lane, the first 100 in the order of their turns: a strict lane takes its lowest position, a latest one its greatest. */
export async function membersOf(db: Db, row: LaneFacts): Promise<readonly MemberView[]> {
  const [turns, kind] = [row.contract_kind === 'strict_source_sequence' ? LOWEST : GREATEST, kindOf(row)];
  const rows = await db.read(turns, { open_lane: row.lane_id });
  return rows.map(({ source_position, attempt_count, ...row }) => ({
    ...row,
    position: positionText(kind, source_position ?? Buffer.alloc(0)),
    attempts: attempt_count,
  }));
}
