import type { Instant } from '@connector/kernel/brand';
import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecutionDependency } from '@connector/schema/connector/ordering';
import { positionText, type PositionKind } from '../../model/ordering/position';

const COLUMNS = ['missing_position', 'execution_id', 'state', 'deadline', 'disposition', 'noticed_at', 'decided_at'] as const;
export const GAPS_MAX = 50;
const OF_LANE = readRows(
  conExecutionDependency,
  COLUMNS,
  `WHERE lane_id = :lane_id ORDER BY missing_position DESC LIMIT ${GAPS_MAX}`,
  'of-lane',
);

/** A position that a lane missed or misses, for people. */
export interface GapView {
  readonly missing: string;
  readonly execution_id: ExecutionId;
  readonly state: string;
  readonly deadline: Instant;
  readonly disposition: string | null;
  readonly noticed_at: Instant;
  readonly decided_at: Instant | null;
}

/** The latest 50 gaps of a lane, the highest position first; at most the first one waits. */
export async function gapsOf(db: Db, laneId: LaneId, kind: PositionKind): Promise<readonly GapView[]> {
  const rows = await db.read(OF_LANE, { lane_id: laneId });
  return rows.map(({ missing_position, ...row }) => ({ missing: positionText(kind, missing_position), ...row }));
}
