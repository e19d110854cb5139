import { flag, instant, int } from '@connector/kernel/column';
import { lockRows, readQuery } from '@connector/kernel/statement';
import { conExecution } from '@connector/schema/connector/execution';
import { conOrderingLane } from '@connector/schema/connector/ordering';

/** A lane under its lock, with what the database's clock says of it. */
export const LOCK_LANES = lockRows(
  conOrderingLane,
  [
    'lane_id',
    'account',
    'ready_account',
    'epoch_id',
    'contract_kind',
    'gap_then',
    'baseline_kind',
    'baseline_position',
    'high_water',
    'high_water_tie',
    'active_execution',
    'held_reason',
    'due_at',
  ],
  'WHERE lane_id IN (:lane_id)',
  {
    params: { lease_ms: int() },
    computed: {
      is_due: { sql: 'due_at <= NOW(6)', column: flag() },
      leased_until: { sql: 'NOW(6) + INTERVAL 1000 * :lease_ms MICROSECOND', column: instant() },
      gap_deadline: { sql: 'NOW(6) + INTERVAL 1000 * COALESCE(gap_ms, 0) MICROSECOND', column: instant() },
    },
  },
);
export type LaneRow = ReturnType<typeof LOCK_LANES.decode>;

const OPEN = 'FROM con_execution e WHERE e.open_lane = l.lane_id';
const ABOVE = '(l.high_water IS NULL OR e.source_position > l.high_water)';
/**
 * Of each lane the one execution that may be next: one look into the index of open work a lane, however many wait in it. The lane is locked
 * by whoever reads this, and every writer of its members locks it, so that what it says stays true.
 */
export const HEADS = readQuery(
  conExecution,
  { lane_id: conOrderingLane.columns.lane_id, execution_id: conExecution.columns.execution_id },
  `SELECT h.lane_id, h.execution_id FROM (
  SELECT l.lane_id, CASE WHEN l.contract_kind = 'strict_source_sequence'
    THEN (SELECT e.execution_id ${OPEN} AND ${ABOVE} ORDER BY e.source_position, e.tie_breaker, e.execution_id LIMIT 1)
    ELSE (SELECT e.execution_id ${OPEN} ORDER BY e.source_position DESC, e.tie_breaker DESC, e.execution_id DESC LIMIT 1) END AS execution_id
    FROM con_ordering_lane l WHERE l.lane_id IN (:lane_id)) h
 WHERE h.execution_id IS NOT NULL`,
  'heads',
  { lane_id: conOrderingLane.columns.lane_id },
);

/** Executions that one run decides without the application, at most; the rest is behind the high-water then and decided at the next look. */
export const BEHIND_MAX = 200;
/** What may be behind: everything open in a latest lane, in a strict one what stands at or below its high-water. */
export const BEHIND = readQuery(
  conExecution,
  { execution_id: conExecution.columns.execution_id },
  `SELECT e.execution_id FROM con_ordering_lane l JOIN con_execution e ON e.open_lane = l.lane_id
 WHERE l.lane_id IN (:lane_id) AND (l.contract_kind = 'latest_source_position' OR e.source_position <= l.high_water)
 ORDER BY e.open_lane, e.source_position, e.tie_breaker, e.execution_id LIMIT ${BEHIND_MAX}`,
  'behind',
  { lane_id: conOrderingLane.columns.lane_id },
);

/** Members under their lock. */
export const LOCK_MEMBERS = lockRows(
  conExecution,
  ['execution_id', 'account', 'projection_id', 'state', 'attempt_count', 'command_id', 'open_lane', 'source_position', 'tie_breaker'],
  'WHERE execution_id IN (:execution_id)',
);
export type Member = ReturnType<typeof LOCK_MEMBERS.decode>;
