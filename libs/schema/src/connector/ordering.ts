import type { LaneFence } from '@connector/kernel/brand';
import { born, bytes, digest, id, instant, int, nullable, u64, word } from '@connector/kernel/column';
import { EpochId, ExecutionId, LaneId, ProjectionId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';
import { account, ACCOUNT_BYTES } from './serving';

/** Account, NUL, and the key that the pack made. */
const PARTITION_BYTES = ACCOUNT_BYTES + 1 + 767;
export const orderingPartition = () => bytes(PARTITION_BYTES);
/** A position or a tie-breaker: bytes that compare as its values do (con:ORD-06). */
export const orderBytes = () => bytes(255);

/**
 * con:LANE-F: the only mutable claim guard of one partition of one route in one epoch. The contract's facts are frozen with the row.
 * `ready_account` is set while there is something to look at, `due_at` says when: the claimable position, the end of a settle window or of
 * a lease, the deadline of a gap. `held_reason` with `active_execution`: that one ended and still stands in the way (con:ORD-17).
 */
export const conOrderingLane = table('con_ordering_lane', {
  about: 'How far one partition of a route is applied, and which execution is at work in it.',
  rank: 'lane',
  columns: {
    lane_id: id(LaneId),
    account: account(),
    ready_account: nullable(account()),
    epoch_id: id(EpochId),
    route_identity: digest(),
    ordering_partition: orderingPartition(),
    contract_digest: digest(),
    contract_kind: word(24),
    position_kind: word(8),
    settle_ms: nullable(int()),
    gap_ms: nullable(int()),
    gap_then: nullable(word(16)),
    hold_on: word(32),
    baseline_kind: word(16),
    baseline_position: orderBytes(),
    high_water: nullable(orderBytes()),
    high_water_tie: nullable(orderBytes()),
    active_execution: nullable(id(ExecutionId)),
    active_position: nullable(orderBytes()),
    active_tie: nullable(orderBytes()),
    held_reason: nullable(word(16)),
    settles_at: nullable(instant()),
    fence: u64<LaneFence>(),
    due_at: born(),
    opened_at: born(),
  },
  primary: ['lane_id'],
  unique: { partition: ['epoch_id', 'route_identity', 'ordering_partition'] },
  index: { ready: ['ready_account', 'due_at', 'lane_id'], by_account: ['account', 'opened_at', 'lane_id'] },
});

/** con:SUPD-F: an input that is not applied, and why; one for ever, append-only. */
export const conSupersededDecision = table('con_superseded_decision', {
  about: 'Inputs that a greater position made unnecessary, each with where its lane stood.',
  rank: null,
  columns: {
    projection_id: id(ProjectionId),
    account: account(),
    lane_id: id(LaneId),
    execution_id: nullable(id(ExecutionId)),
    source_position: orderBytes(),
    tie_breaker: orderBytes(),
    high_water: nullable(orderBytes()),
    high_water_tie: nullable(orderBytes()),
    overtaken_by: nullable(id(ExecutionId)),
    reason: word(16),
    decided_at: born(),
  },
  primary: ['projection_id'],
});

/**
 * con:XDEP-F for order gaps (con:OPEN-19): the position that is missing, the execution behind it, and the deadline, frozen when the gap is
 * first seen. One for a lane and a position, so that no later arrival moves the deadline.
 */
export const conExecutionDependency = table('con_execution_dependency', {
  about: 'Positions that a strict lane misses, until when it waits, and what was done then.',
  rank: 'dependency',
  columns: {
    lane_id: id(LaneId),
    missing_position: orderBytes(),
    execution_id: id(ExecutionId),
    state: word(16),
    deadline: instant(),
    disposition: nullable(word(16)),
    noticed_at: born(),
    decided_at: nullable(instant()),
  },
  primary: ['lane_id', 'missing_position'],
});
