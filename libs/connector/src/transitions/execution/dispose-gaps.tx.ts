/**
 * OPEN-19 dispose-gaps: execution waiting_dependency → quarantined | ready, when the frozen deadline of a gap has passed
 *
 * why     A missing position must not hold a lane for ever without a word: the contract says beforehand whether the lane stops there or goes
 *         on behind the gap, and the closed dependency is the evidence of either (con:ORD-15).
 * paths   dispose-gaps
 * fence   the standard fence; each lane idle and not held, its waiting dependency past its deadline by the database's clock, and nothing
 *         at the missing position.
 * again   Same lanes: `no-gap`, since what was waiting is closed.
 */
import type { Instant } from '@connector/kernel/brand';
import { flag } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import { lockRows, readQuery, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution } from '@connector/schema/connector/execution';
import { conExecutionDependency, conOrderingLane } from '@connector/schema/connector/ordering';
import { raiseWork } from '../../fences/account-work';
import { audit } from '../../fences/audit';
import { lockServingGate, type Gate, type GateBasis, type NotServing } from '../../fences/serving-gate';
import type { GapDisposition } from '../../model/ordering/contract';
import { ORDER_GAP } from '../../model/ordering/superseded';
import { connectorDoors } from '../../model/paths';

export type DisposeGap =
  | { readonly kind: 'quarantined' | 'skipped'; readonly executionId: ExecutionId; readonly missing: Buffer }
  | { readonly kind: 'not-due'; readonly deadline: Instant }
  /** It has come meanwhile. */
  | { readonly kind: 'arrived' }
  | { readonly kind: 'no-gap' }
  | { readonly kind: 'at-work' }
  | { readonly kind: 'held'; readonly reason: string }
  | { readonly kind: 'not-found' }
  | NotServing;

const LANES = lockRows(
  conOrderingLane,
  ['lane_id', 'account', 'epoch_id', 'gap_then', 'active_execution', 'held_reason'],
  'WHERE lane_id IN (:lane_id)',
);
const column = conExecutionDependency.columns;
const WAITING = readQuery(
  conExecutionDependency,
  {
    lane_id: column.lane_id,
    missing_position: column.missing_position,
    execution_id: column.execution_id,
    deadline: column.deadline,
    passed: flag(),
    arrived: flag(),
  },
  `SELECT d.lane_id, d.missing_position, d.execution_id, d.deadline, d.deadline <= NOW(6) AS passed,
       EXISTS (SELECT 1 FROM con_execution e WHERE e.open_lane = d.lane_id AND e.source_position = d.missing_position) AS arrived
  FROM con_execution_dependency d WHERE d.lane_id IN (:lane_id) AND d.state = 'waiting'`,
);
const OWNERS = lockRows(conExecution, ['execution_id', 'state'], 'WHERE execution_id IN (:execution_id)');
const EXPIRE = updateRows(
  conExecutionDependency,
  `SET state = 'expired', disposition = :disposition, decided_at = NOW(6)
 WHERE lane_id IN (:lane_id) AND missing_position IN (:missing_position) AND execution_id IN (:execution_id) AND state = 'waiting'
   AND deadline <= NOW(6)`,
  'expire',
);
const QUARANTINE = updateRows(
  conExecution,
  `SET state = 'quarantined', reason = :reason, open_lane = NULL, active_projection = NULL, finished_at = NOW(6)
 WHERE execution_id IN (:execution_id) AND state = 'waiting_dependency'`,
  'quarantine',
);
const RESUME = updateRows(
  conExecution,
  `SET state = 'ready' WHERE execution_id IN (:execution_id) AND open_lane IS NOT NULL AND state = 'waiting_dependency'`,
  'resume',
);
const HOLD = updateRows(
  conOrderingLane,
  `SET held_reason = :held_reason, ready_account = NULL, fence = fence + 1
 WHERE lane_id IN (:lane_id) AND active_execution IS NULL AND held_reason IS NULL`,
  'hold',
);
const RAISE = updateRows(
  conOrderingLane,
  `SET due_at = NOW(6), fence = fence + 1 WHERE lane_id IN (:lane_id) AND active_execution IS NULL AND held_reason IS NULL`,
  'raise',
);

type Lane = ReturnType<typeof LANES.decode>;
type Waiting = ReturnType<typeof WAITING.decode>;

/** An answer for each lane, in order (con:CLM-X). */
export function disposeGaps(db: Db, basis: GateBasis, lanes: readonly LaneId[]): Promise<readonly DisposeGap[]> {
  return db.fenced(connectorDoors['dispose-gaps'], async (tx) => {
    const fence = await lockServingGate(tx, basis);
    if (fence.kind !== 'serving') return lanes.map(() => fence);
    const seen = new Map((await tx.lockMany(LANES, { lane_id: lanes })).map((row) => [row.lane_id, row]));
    const waiting = new Map((await tx.read(WAITING, { lane_id: lanes })).map((row) => [row.lane_id, row]));
    const judged = lanes.map((id) => judge(seen.get(id), waiting.get(id), fence.gate));
    const disposed = [...waiting.values()].filter((gap) => {
      const { kind } = judge(seen.get(gap.lane_id), gap, fence.gate);
      return kind === 'quarantined' || kind === 'skipped';
    });
    await dispose(tx, fence.gate, disposed, (gap) => dispositionOf(seen.get(gap.lane_id)));
    return judged;
  });
}

function judge(lane: Lane | undefined, gap: Waiting | undefined, gate: Gate): DisposeGap {
  if (lane === undefined || lane.account !== gate.account || lane.epoch_id !== gate.epochId) return { kind: 'not-found' };
  if (lane.held_reason !== null) return { kind: 'held', reason: lane.held_reason };
  if (lane.active_execution !== null) return { kind: 'at-work' };
  if (gap === undefined) return { kind: 'no-gap' };
  if (gap.arrived) return { kind: 'arrived' };
  if (!gap.passed) return { kind: 'not-due', deadline: gap.deadline };
  const kind = dispositionOf(lane) === 'skip' ? 'skipped' : 'quarantined';
  return { kind, executionId: gap.execution_id, missing: gap.missing_position };
}

function dispositionOf(lane: Lane | undefined): GapDisposition {
  const word = lane?.gap_then;
  invariant(word === 'quarantine' || word === 'skip', 'HOUSE:connector:GapDisposition', `a strict lane says ${word ?? 'nothing'}`);
  return word;
}

async function dispose(tx: FencedTx, gate: Gate, gaps: readonly Waiting[], of: (gap: Waiting) => GapDisposition): Promise<void> {
  if (gaps.length === 0) return;
  await tx.lockMany(OWNERS, { execution_id: gaps.map(({ execution_id }) => execution_id) });
  const stopped = gaps.filter((gap) => of(gap) === 'quarantine');
  const skipped = gaps.filter((gap) => of(gap) === 'skip');
  if (stopped.length > 0) await stop(tx, stopped);
  if (skipped.length > 0) await skip(tx, gate, skipped);
  const moves = gaps.map((gap) => ({
    execution: gap.execution_id,
    from: 'waiting_dependency',
    to: of(gap) === 'skip' ? 'ready' : 'quarantined',
  }));
  await audit(tx, gate.account, moves);
}

/** The quarantined fact keeps holding its lane (con:OPEN-17). */
async function stop(tx: FencedTx, gaps: readonly Waiting[]): Promise<void> {
  const execution_id = gaps.map((gap) => gap.execution_id);
  const counts = [
    await tx.update(EXPIRE, { ...keysOf(gaps), disposition: 'quarantine' satisfies GapDisposition }),
    await tx.update(QUARANTINE, { execution_id, reason: ORDER_GAP }),
    await tx.update(HOLD, { lane_id: gaps.map(({ lane_id }) => lane_id), held_reason: ORDER_GAP }),
  ];
  mustMeet(gaps, counts);
}

async function skip(tx: FencedTx, gate: Gate, gaps: readonly Waiting[]): Promise<void> {
  const counts = [
    await tx.update(EXPIRE, { ...keysOf(gaps), disposition: 'skip' satisfies GapDisposition }),
    await tx.update(RESUME, { execution_id: gaps.map((gap) => gap.execution_id) }),
    await tx.update(RAISE, { lane_id: gaps.map(({ lane_id }) => lane_id) }),
  ];
  mustMeet(gaps, counts);
  await raiseWork(tx, 'execution', [gate.account]);
}

const keysOf = (gaps: readonly Waiting[]) => ({
  lane_id: gaps.map(({ lane_id }) => lane_id),
  missing_position: gaps.map(({ missing_position }) => missing_position),
  execution_id: gaps.map(({ execution_id }) => execution_id),
});

function mustMeet(gaps: readonly Waiting[], counts: readonly number[]): void {
  const whole = counts.every((count) => count === gaps.length);
  invariant(whole, 'HOUSE:connector:CasUnexplained', `dispose-gaps landed ${counts.join(', ')} of ${gaps.length}`);
}
