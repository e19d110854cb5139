/**
 * OPEN-19 await-gaps: execution ready → waiting_dependency behind a missing position, and back once that position has come
 *
 * why     A gap waits without a lease and explains itself: which position is missing, since when, until when (con:ORD-15). The deadline is
 *         written when the gap is first seen and never again, whatever arrives meanwhile.
 * fence   the lane and its executions, locked; one dependency for a lane and a position.
 * again   Lane and position are the key; a gap that is known is left as it is.
 */
import type { Instant } from '@connector/kernel/brand';
import { flag } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import { readQuery, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution } from '@connector/schema/connector/execution';
import { conExecutionDependency, conOrderingLane } from '@connector/schema/connector/ordering';
import { standOf } from '../../fences/lane-stand';
import { dependencyMachine, type DependencyState } from '../../model/execution/dependency';
import { exactSuccessor } from '../../model/ordering/lane';
import type { LaneRow } from './lane-rows';

const column = conExecutionDependency.columns;
const KNOWN = readQuery(
  conExecutionDependency,
  {
    lane_id: column.lane_id,
    missing_position: column.missing_position,
    execution_id: column.execution_id,
    state: column.state,
    deadline: column.deadline,
    passed: flag(),
  },
  `SELECT lane_id, missing_position, execution_id, state, deadline, deadline <= NOW(6) AS passed FROM ${conExecutionDependency.name}
 WHERE lane_id IN (:lane_id) AND missing_position IN (:missing_position)`,
);
const SATISFY = updateRows(
  conExecutionDependency,
  `SET state = 'satisfied', decided_at = NOW(6)
 WHERE lane_id IN (:lane_id) AND missing_position IN (:missing_position) AND execution_id IN (:execution_id) AND state = 'waiting'`,
  'satisfy',
);
const RESUME = updateRows(
  conExecution,
  `SET state = 'ready' WHERE execution_id IN (:execution_id) AND open_lane IS NOT NULL AND state = 'waiting_dependency'`,
  'resume',
);
const AWAIT = updateRows(
  conExecution,
  `SET state = 'waiting_dependency' WHERE execution_id IN (:execution_id) AND open_lane IS NOT NULL AND attempt_count = 0 AND state = 'ready'`,
  'await',
);
const UNTIL = updateRows(
  conOrderingLane,
  `SET due_at = (SELECT d.deadline FROM ${conExecutionDependency.name} d WHERE d.lane_id = ${conOrderingLane.name}.lane_id AND d.state = 'waiting')
 WHERE lane_id IN (:lane_id) AND active_execution IS NULL AND held_reason IS NULL`,
  'await',
);

export interface Gap {
  readonly laneId: LaneId;
  readonly missing: Buffer;
  /** The execution behind the gap when it was first seen. */
  readonly owner: ExecutionId;
  readonly state: DependencyState;
  readonly deadline: Instant;
  readonly passed: boolean;
}

/** What was written down of the exact successors of these lanes. */
export async function knownGaps(tx: FencedTx, lanes: readonly LaneRow[]): Promise<ReadonlyMap<LaneId, Gap>> {
  const next = new Map(lanes.map((lane) => [lane.lane_id, exactSuccessor(standOf(lane))]));
  const missing = [...next.values()].filter((position) => position !== undefined);
  if (missing.length === 0) return new Map();
  const rows = await tx.read(KNOWN, { lane_id: [...next.keys()], missing_position: missing });
  const own = rows.filter((row) => next.get(row.lane_id)?.equals(row.missing_position));
  return new Map(own.map((row) => [row.lane_id, gapOf(row)]));
}

function gapOf(row: ReturnType<typeof KNOWN.decode>): Gap {
  return {
    laneId: row.lane_id,
    missing: row.missing_position,
    owner: row.execution_id,
    state: dependencyMachine.parse(row.state),
    deadline: row.deadline,
    passed: row.passed,
  };
}

/** The missing positions have come: who waited for them waits as everybody behind them does. */
export async function closeGaps(tx: FencedTx, gaps: readonly Gap[]): Promise<void> {
  if (gaps.length === 0) return;
  const owners = gaps.map(({ owner }) => owner);
  const closed = await tx.update(SATISFY, {
    lane_id: gaps.map(({ laneId }) => laneId),
    missing_position: gaps.map(({ missing }) => missing),
    execution_id: owners,
  });
  const resumed = await tx.update(RESUME, { execution_id: owners });
  const whole = closed === gaps.length && resumed === gaps.length;
  invariant(whole, 'HOUSE:connector:CasUnexplained', `await-gaps closed ${closed} and resumed ${resumed} of ${gaps.length}`);
}

export interface NewGap {
  readonly lane: LaneRow;
  readonly missing: Buffer;
  readonly owner: ExecutionId;
}

/** Gaps that are seen for the first time: from now on their deadlines stand. */
export async function openGaps(tx: FencedTx, gaps: readonly NewGap[]): Promise<void> {
  if (gaps.length === 0) return;
  await tx.insert(
    conExecutionDependency,
    gaps.map(({ lane, missing, owner }) => ({
      lane_id: lane.lane_id,
      missing_position: missing,
      execution_id: owner,
      state: dependencyMachine.initial,
      deadline: lane.gap_deadline,
      disposition: null,
      decided_at: null,
    })),
  );
  const landed = await tx.update(AWAIT, { execution_id: gaps.map(({ owner }) => owner) });
  invariant(landed === gaps.length, 'HOUSE:connector:CasUnexplained', `await-gaps landed ${landed} of ${gaps.length}`);
}

/** Lanes that wait for a missing position are due at its deadline. */
export async function dueAtDeadline(tx: FencedTx, lanes: readonly LaneId[]): Promise<void> {
  if (lanes.length > 0) await tx.update(UNTIL, { lane_id: lanes });
}
