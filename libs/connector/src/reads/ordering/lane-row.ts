import type { AccountName, Instant } from '@connector/kernel/brand';
import type { EpochId, ExecutionId, LaneId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { partitionText } from '../../model/ordering/lane';
import { positionKind, positionText, type PositionKind } from '../../model/ordering/position';

export const LANE_COLUMNS = [
  'lane_id',
  'account',
  'ready_account',
  'epoch_id',
  'route_identity',
  'ordering_partition',
  'contract_kind',
  'position_kind',
  'gap_then',
  'baseline_kind',
  'baseline_position',
  'high_water',
  'high_water_tie',
  'active_execution',
  'active_position',
  'held_reason',
  'settles_at',
  'fence',
  'due_at',
  'opened_at',
] as const;
const ONE = readRows(conOrderingLane, LANE_COLUMNS, 'WHERE lane_id = :lane_id', 'lane');
export type LaneFacts = ReturnType<typeof ONE.decode>;

/** One lane as it stands, seen without a lock. */
export function readLaneRow(db: Db, laneId: LaneId): Promise<LaneFacts | undefined> {
  return db.readOne(ONE, { lane_id: laneId });
}

export const LANE_STATES = ['held', 'at-work', 'waiting', 'resting'] as const;
export type LaneState = (typeof LANE_STATES)[number];

/** What a lane does, in one word; `waiting`: somebody looks at it at its time. */
export const laneState = (row: LaneFacts): LaneState =>
  row.held_reason !== null ? 'held' : row.active_execution !== null ? 'at-work' : row.ready_account !== null ? 'waiting' : 'resting';

/** A lane for people: positions as the source writes them. */
export interface LaneView {
  readonly lane_id: LaneId;
  readonly account: AccountName;
  readonly epoch_id: EpochId;
  readonly partition: string;
  readonly contract: string;
  readonly state: LaneState;
  readonly baseline: string;
  /** The greatest completed position; null: none yet. */
  readonly high_water: string | null;
  readonly active_execution: ExecutionId | null;
  readonly active_position: string | null;
  readonly held: string | null;
  readonly settles_at: Instant | null;
  readonly fence: string;
  /** When somebody looks at it again; null: nothing waits in it, or it is held. */
  readonly due_at: Instant | null;
  readonly opened_at: Instant;
}

export function laneView(row: LaneFacts): LaneView {
  const kind = kindOf(row);
  return {
    lane_id: row.lane_id,
    account: row.account,
    epoch_id: row.epoch_id,
    partition: partitionText(row.account, row.ordering_partition),
    contract: row.contract_kind,
    state: laneState(row),
    baseline: `${row.baseline_kind} ${positionText(kind, row.baseline_position)}`,
    high_water: textOrNull(kind, row.high_water),
    active_execution: row.active_execution,
    active_position: textOrNull(kind, row.active_position),
    held: row.held_reason,
    settles_at: row.settles_at,
    fence: row.fence.toString(),
    due_at: row.ready_account === null ? null : row.due_at,
    opened_at: row.opened_at,
  };
}

export const kindOf = (row: Pick<LaneFacts, 'position_kind'>): PositionKind => positionKind(row.position_kind);
const textOrNull = (kind: PositionKind, bytes: Buffer | null): string | null => (bytes === null ? null : positionText(kind, bytes));
