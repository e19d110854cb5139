/**
 * CLM SUPD OPEN-19 claim-lanes: of each due lane the execution that its order allows is leased, one at a time
 *
 * why     Neither arrival nor insertion decides what the application sees next (con:ORD-01). A latest lane takes its greatest position once
 *         its window is over and decides the others; a strict lane takes the exact successor or waits.
 * paths   claim-lanes, supersede-positions, await-gaps
 * fence   the standard fence; each lane due, not held, of the epoch that the gate holds; idle, or at work under a lease that has ended.
 * again   Same lanes: the ones claimed before are `not-due`, under their lease.
 */
import type { Instant } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { CommandId, EpochId, ExecutionId, LaneId } from '@connector/kernel/ids';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution, conExecutionAttempt } from '@connector/schema/connector/execution';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { audit } from '../../fences/audit';
import { lockServingGate, takeServingGate, type Gate, type GateBasis, type GateBusy, type NotServing } from '../../fences/serving-gate';
import { connectorDoors } from '../../model/paths';
import { closeGaps, dueAtDeadline, openGaps } from './await-gaps.step';
import { LOCK_LANES, type LaneRow, type Member } from './lane-rows';
import { movesOf, type Planned } from './lane-moves';
import { supersedePositions } from './supersede-positions.step';

export interface ClaimOfLanes {
  readonly claimant: string;
  /** How long a claim stands, milliseconds, from the account's frozen policy. */
  readonly leaseMs: number;
  /** Lanes of this account, at most 50. */
  readonly lanes: readonly LaneId[];
  /** Answer `gate-busy` instead of waiting for the gate (decisions 3.8). */
  readonly ifFree?: true;
}

export type ClaimLane =
  | { readonly kind: 'claimed'; readonly executionId: ExecutionId; readonly attempt: number; readonly commandId: CommandId }
  /** A strict lane misses a position; nobody holds anything meanwhile. */
  | { readonly kind: 'gap'; readonly missing: Buffer; readonly deadline: Instant }
  /** Its deadline has passed: what the contract says is a step of its own. */
  | { readonly kind: 'gap-due' }
  /** Nothing that may run is left in it. */
  | { readonly kind: 'rested' }
  | { readonly kind: 'not-due' }
  | { readonly kind: 'held'; readonly reason: string }
  | { readonly kind: 'other-epoch'; readonly epochId: EpochId }
  | { readonly kind: 'not-found' }
  | GateBusy
  | NotServing;

const CLAIM = updateRows(
  conExecution,
  `SET attempt_count = attempt_count + 1, awaiting_account = account, due_at = :due_at
 WHERE execution_id IN (:execution_id) AND account = :account AND state = 'ready' AND open_lane IS NOT NULL AND epoch_digest = :epoch_digest`,
  'claim',
);
const CLAIMED = `FROM con_execution e WHERE e.execution_id IN (:active_execution) AND e.open_lane = con_ordering_lane.lane_id`;
const TAKE = updateRows(
  conOrderingLane,
  `SET active_execution = (SELECT e.execution_id ${CLAIMED}), active_position = (SELECT e.source_position ${CLAIMED}),
       active_tie = (SELECT e.tie_breaker ${CLAIMED}), settles_at = NULL, due_at = :due_at, fence = fence + 1
 WHERE lane_id IN (:lane_id) AND active_execution IS NULL AND held_reason IS NULL`,
  'claim',
);
const LEASE = updateRows(
  conOrderingLane,
  `SET due_at = :due_at, fence = fence + 1
 WHERE lane_id IN (:lane_id) AND active_execution IN (:active_execution) AND held_reason IS NULL`,
  'lease',
);
const REST = updateRows(
  conOrderingLane,
  `SET ready_account = NULL, settles_at = NULL WHERE lane_id IN (:lane_id) AND active_execution IS NULL`,
  'rest',
);

/** An answer for each lane, in order (con:CLM-P, con:CLM-W, con:CLM-X). */
export function claimLanes(db: Db, basis: GateBasis, claim: ClaimOfLanes): Promise<readonly ClaimLane[]> {
  return db.fenced(connectorDoors['claim-lanes'], async (tx) => {
    const fence = await (claim.ifFree ? takeServingGate : lockServingGate)(tx, basis);
    if (fence.kind !== 'serving') return claim.lanes.map(() => fence);
    const rows = await tx.lockMany(LOCK_LANES, { lane_id: claim.lanes, lease_ms: claim.leaseMs });
    const seen = new Map(rows.map((row) => [row.lane_id, row]));
    const due = rows.filter((row) => refusalOf(row, fence.gate) === undefined);
    const planned = due.length === 0 ? [] : await movesOf(tx, due);
    await carryOut(tx, fence.gate, claim, planned);
    const moves = new Map(planned.map((plan) => [plan.lane.lane_id, plan]));
    return claim.lanes.map((id) => answerOf(seen.get(id), moves.get(id), fence.gate));
  });
}

/** Why a lane is not looked into, or undefined. */
function refusalOf(row: LaneRow | undefined, gate: Gate): ClaimLane | undefined {
  if (row === undefined || row.account !== gate.account) return { kind: 'not-found' };
  if (row.epoch_id !== gate.epochId) return { kind: 'other-epoch', epochId: row.epoch_id };
  if (row.held_reason !== null) return { kind: 'held', reason: row.held_reason };
  if (row.ready_account === null || !row.is_due) return { kind: 'not-due' };
  return undefined;
}

function answerOf(row: LaneRow | undefined, plan: Planned | undefined, gate: Gate): ClaimLane {
  const refused = refusalOf(row, gate);
  if (refused !== undefined) return refused;
  invariant(row !== undefined && plan !== undefined, 'HOUSE:connector:LaneUnplanned', `a due lane of ${gate.account} has no plan`);
  const { move } = plan;
  if (move.kind === 'rest') return { kind: 'rested' };
  if (move.kind === 'gap') {
    const { known, missing } = move;
    return known?.passed === true ? { kind: 'gap-due' } : { kind: 'gap', missing, deadline: known?.deadline ?? row.gap_deadline };
  }
  const { execution_id: executionId, attempt_count, command_id: commandId } = plan.claimed as Member;
  return { kind: 'claimed', executionId, attempt: attempt_count + 1, commandId };
}

async function carryOut(tx: FencedTx, gate: Gate, claim: ClaimOfLanes, planned: readonly Planned[]): Promise<void> {
  if (planned.length === 0) return;
  const opened = planned.flatMap((plan) => plan.opens);
  await supersedePositions(
    tx,
    planned.flatMap((plan) => plan.overtaken),
  );
  await closeGaps(
    tx,
    planned.flatMap((plan) => plan.closes),
  );
  await openGaps(tx, opened);
  await lease(tx, gate, claim, planned);
  await dueAtDeadline(
    tx,
    idsOf(planned, ({ move }) => move.kind === 'gap' && move.known?.passed !== true),
  );
  const resting = idsOf(planned, ({ move, whole }) => move.kind === 'rest' && whole);
  if (resting.length > 0) await tx.update(REST, { lane_id: resting });
  await auditMoves(tx, gate, planned);
}

async function lease(tx: FencedTx, gate: Gate, claim: ClaimOfLanes, planned: readonly Planned[]): Promise<void> {
  const claimed = planned.flatMap((plan) => (plan.claimed === null ? [] : [{ ...plan, claimed: plan.claimed }]));
  if (claimed.length === 0) return;
  const due_at = (planned[0] as Planned).lane.leased_until;
  await tx.insert(
    conExecutionAttempt,
    claimed.map(({ claimed: row }) => ({
      execution_id: row.execution_id,
      ordinal: row.attempt_count + 1,
      claimant: claim.claimant,
      gate_fence: gate.fence,
      epoch_id: gate.epochId,
      leased_until: due_at,
    })),
  );
  const execution_id = claimed.map(({ claimed: row }) => row.execution_id);
  let landed = await tx.update(CLAIM, { execution_id, account: gate.account, epoch_digest: gate.epochDigest, due_at });
  invariant(landed === claimed.length, 'HOUSE:connector:CasUnexplained', `claim-lanes leased ${landed} of ${claimed.length}`);
  const taken = idsOf(claimed, ({ lane }) => lane.active_execution === null);
  const again = idsOf(claimed, ({ lane }) => lane.active_execution !== null);
  landed = taken.length === 0 ? 0 : await tx.update(TAKE, { lane_id: taken, active_execution: execution_id, due_at });
  if (again.length > 0) landed += await tx.update(LEASE, { lane_id: again, active_execution: execution_id, due_at });
  invariant(landed === claimed.length, 'HOUSE:connector:CasUnexplained', `claim-lanes took ${landed} of ${claimed.length} lanes`);
}

function idsOf<P extends Planned>(planned: readonly P[], wanted: (plan: P) => boolean): readonly LaneId[] {
  return planned.filter(wanted).map(({ lane }) => lane.lane_id);
}

async function auditMoves(tx: FencedTx, gate: Gate, planned: readonly Planned[]): Promise<void> {
  const items = planned.flatMap(({ overtaken, opens, closes }) => [
    ...overtaken.map(({ member }) => ({ execution: member.execution_id, from: member.state, to: 'quarantined' })),
    ...opens.map(({ owner }) => ({ execution: owner, from: 'ready', to: 'waiting_dependency' })),
    ...closes.map(({ owner }) => ({ execution: owner, from: 'waiting_dependency', to: 'ready' })),
  ]);
  if (items.length > 0) await audit(tx, gate.account, items);
}
