/**
 * SUPD supersede-positions: execution ready | waiting_dependency → quarantined, by a decision and without a call of the application
 *
 * why     A position that a greater one has overtaken would take the application back. The decision is the disposition that the
 *         quarantine needs (con:OPEN-14, con:OPEN-17).
 * fence   the lane and the executions, locked; never claimed, and at or below what is taken or completed.
 * again   The projection is the key of its decision; what was decided is no longer open.
 */
import { invariant } from '@connector/kernel/faults';
import type { ExecutionId } from '@connector/kernel/ids';
import { updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution } from '@connector/schema/connector/execution';
import { conSupersededDecision } from '@connector/schema/connector/ordering';
import { SUPERSEDED, type SupersededReason } from '../../model/ordering/superseded';
import { BEHIND, type LaneRow, type Member } from './lane-rows';

const SUPERSEDE = updateRows(
  conExecution,
  `SET state = 'quarantined', reason = :reason, open_lane = NULL, active_projection = NULL, finished_at = NOW(6)
 WHERE execution_id IN (:execution_id) AND open_lane IS NOT NULL AND attempt_count = 0 AND state IN ('ready', 'waiting_dependency')`,
  'supersede',
);

/** Executions that are at or below what their lanes have completed or are about to take; at most 200. */
export async function membersBehind(tx: FencedTx, lanes: readonly LaneRow[]): Promise<readonly ExecutionId[]> {
  if (lanes.length === 0) return [];
  const rows = await tx.read(BEHIND, { lane_id: lanes.map(({ lane_id }) => lane_id) });
  return rows.map(({ execution_id }) => execution_id);
}

export interface Overtaken {
  readonly lane: LaneRow;
  readonly member: Member;
  /** The execution that is taken instead; null where the lane has completed a greater position already. */
  readonly by: ExecutionId | null;
}

export async function supersedePositions(tx: FencedTx, overtaken: readonly Overtaken[]): Promise<void> {
  if (overtaken.length === 0) return;
  await tx.insert(conSupersededDecision, overtaken.map(decisionRow));
  const landed = await tx.update(SUPERSEDE, { execution_id: overtaken.map(({ member }) => member.execution_id), reason: SUPERSEDED });
  invariant(landed === overtaken.length, 'HOUSE:connector:CasUnexplained', `supersede landed ${landed} of ${overtaken.length}`);
}

function decisionRow({ lane, member, by }: Overtaken) {
  return {
    projection_id: member.projection_id,
    account: lane.account,
    lane_id: lane.lane_id,
    execution_id: member.execution_id,
    source_position: member.source_position ?? Buffer.alloc(0),
    tie_breaker: member.tie_breaker ?? Buffer.alloc(0),
    high_water: lane.high_water,
    high_water_tie: lane.high_water_tie,
    overtaken_by: by,
    reason: 'lower' satisfies SupersededReason,
  };
}
