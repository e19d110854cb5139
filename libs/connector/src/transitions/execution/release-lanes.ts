import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { CommandId, ExecutionId, LaneId } from '@connector/kernel/ids';
import { lockRows, readQuery, readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution } from '@connector/schema/connector/execution';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { runApplicationResult } from '@connector/schema/runtime/runtime';
import { holds } from '../../model/ordering/contract';

/** Which lane an execution belongs to never changes; lanes are locked before executions. */
const LANES = readRows(conExecution, ['execution_id', 'lane_id'], 'WHERE execution_id IN (:execution_id)', 'lanes');
const LOCK = lockRows(conOrderingLane, ['lane_id', 'active_execution', 'hold_on'], 'WHERE lane_id IN (:lane_id)');
const OUTCOMES = readRows(runApplicationResult, ['command_id', 'outcome', 'result_digest'], 'WHERE command_id IN (:command_id)');
const OPEN = readQuery(
  conOrderingLane,
  { lane_id: conOrderingLane.columns.lane_id },
  `SELECT l.lane_id FROM con_ordering_lane l
 WHERE l.lane_id IN (:lane_id) AND EXISTS (SELECT 1 FROM con_execution e WHERE e.open_lane = l.lane_id)`,
  'open',
);
const ADVANCE = updateRows(
  conOrderingLane,
  `SET high_water = active_position, high_water_tie = active_tie, active_execution = NULL, active_position = NULL,
       active_tie = NULL, fence = fence + 1, ready_account = :ready_account,
       due_at = CASE WHEN settles_at IS NULL THEN NOW(6) ELSE settles_at END
 WHERE lane_id IN (:lane_id) AND active_execution IN (:active_execution) AND held_reason IS NULL`,
  'advance',
);
const HOLD = updateRows(
  conOrderingLane,
  `SET held_reason = :held_reason, ready_account = NULL, fence = fence + 1
 WHERE lane_id IN (:lane_id) AND active_execution IN (:active_execution) AND held_reason IS NULL`,
  'hold',
);

export type ActiveLanes = ReadonlyMap<LaneId, { readonly active: ExecutionId | null; readonly holdOn: string }>;
/** What the application did, by command; the result's own owner says so. */
export type Outcomes = ReadonlyMap<CommandId, { readonly outcome: string; readonly resultDigest: Digest }>;

/** Locks the lanes of these executions; before the executions themselves (con:RREC-L). */
export async function lanesOf(tx: FencedTx, executions: readonly ExecutionId[]): Promise<ActiveLanes> {
  const rows = await tx.read(LANES, { execution_id: executions });
  const ids = rows.flatMap(({ lane_id }) => (lane_id === null ? [] : [lane_id]));
  const locked = ids.length === 0 ? [] : await tx.lockMany(LOCK, { lane_id: ids });
  return new Map(locked.map((row) => [row.lane_id, { active: row.active_execution, holdOn: row.hold_on }]));
}

export async function outcomesOf(tx: FencedTx, commands: readonly CommandId[]): Promise<Outcomes> {
  const rows = commands.length === 0 ? [] : await tx.read(OUTCOMES, { command_id: commands });
  return new Map(rows.map((row) => [row.command_id, { outcome: row.outcome, resultDigest: row.result_digest }]));
}

export interface Released {
  readonly laneId: LaneId;
  readonly executionId: ExecutionId;
  readonly outcome: string;
}

/** Moves the high-water of each lane, or holds it where its contract says so. Whether a lane has something else to look at. */
export async function releaseLanes(
  tx: FencedTx,
  account: AccountName,
  lanes: ActiveLanes,
  released: readonly Released[],
): Promise<boolean> {
  if (released.length === 0) return false;
  const isHeld = ({ laneId, outcome }: Released): boolean => holds(lanes.get(laneId)?.holdOn ?? '', outcome);
  const held = released.filter(isHeld);
  const advanced = released.filter((one) => !isHeld(one));
  const rows = advanced.length === 0 ? [] : await tx.read(OPEN, { lane_id: advanced.map(({ laneId }) => laneId) });
  const open = new Set(rows.map(({ lane_id }) => lane_id));
  await advance(
    tx,
    advanced.filter(({ laneId }) => open.has(laneId)),
    account,
  );
  await advance(
    tx,
    advanced.filter(({ laneId }) => !open.has(laneId)),
    null,
  );
  for (const outcome of new Set(held.map((one) => one.outcome))) {
    await hold(
      tx,
      held.filter((one) => one.outcome === outcome),
      outcome,
    );
  }
  return open.size > 0;
}

/** A lane in which nothing is left has nothing to be due for. */
async function advance(tx: FencedTx, released: readonly Released[], readyAccount: AccountName | null): Promise<void> {
  if (released.length === 0) return;
  mustMeet(released, await tx.update(ADVANCE, { ...keysOf(released), ready_account: readyAccount }));
}

async function hold(tx: FencedTx, released: readonly Released[], reason: string): Promise<void> {
  mustMeet(released, await tx.update(HOLD, { ...keysOf(released), held_reason: reason }));
}

const keysOf = (released: readonly Released[]) => ({
  lane_id: released.map(({ laneId }) => laneId),
  active_execution: released.map(({ executionId }) => executionId),
});

function mustMeet(released: readonly Released[], landed: number): void {
  invariant(landed === released.length, 'HOUSE:connector:CasUnexplained', `record-results released ${landed} of ${released.length} lanes`);
}
