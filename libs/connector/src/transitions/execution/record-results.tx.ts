/**
 * RREC record-results: execution ready → completed, and the high-water of its lane
 *
 * why     Only a Runtime commit receipt for exactly this command and ExecutionRef closes an execution; acceptance, a reply or the end
 *         of a lease never does (con:INV-24). In a lane the same commit moves the high-water, or holds the lane where the frozen policy says
 *         so (con:ORD-16, con:OPEN-18).
 * paths   record-results
 * fence   the gate, in any mode in which results of admitted work may still be recorded (con:OPEN-15); the execution `ready`, claimed,
 *         with the command and the ExecutionRef digest that the receipt names, under the epoch that the gate holds; in a lane the one that
 *         is at work in it.
 * again   Same receipt: `recorded` again, by the correlation that is there (con:RREC-O).
 */
import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { CommandId, ExecutionId, LaneId } from '@connector/kernel/ids';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution, conResultCorrelation } from '@connector/schema/connector/execution';
import { raiseWork } from '../../fences/account-work';
import { audit } from '../../fences/audit';
import { lockGate, type Gate } from '../../fences/serving-gate';
import { executionMachine, type ExecutionState } from '../../model/execution/execution';
import { connectorDoors } from '../../model/paths';
import type { GateMode } from '../../model/serving/gate';
import { lanesOf, outcomesOf, releaseLanes, type ActiveLanes, type Outcomes } from './release-lanes';

/** What Runtime proved of one command; no payload (con:CORR-F). */
export interface RuntimeReceipt {
  readonly executionId: ExecutionId;
  readonly commandId: CommandId;
  readonly executionRefDigest: Digest;
  readonly resultDigest: Digest;
  readonly commitReceipt: Buffer;
  readonly commitReceiptDigest: Digest;
}

export type RecordResult =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'recorded-otherwise'; readonly resultDigest: Digest }
  /** No such execution, command or ref: told apart nowhere (con:IDN-15). */
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-ready'; readonly state: ExecutionState }
  | { readonly kind: 'not-claimed' }
  /** Another execution is at work in its lane. */
  | { readonly kind: 'not-active' }
  | { readonly kind: 'other-epoch'; readonly epochDigest: Digest }
  | { readonly kind: 'not-serving'; readonly mode: GateMode | 'no-gate' };

const MODES: readonly GateMode[] = ['v2_serving', 'halting_v2', 'v2_halted'];
const SEEN = lockRows(
  conExecution,
  ['execution_id', 'account', 'epoch_digest', 'state', 'attempt_count', 'command_id', 'execution_ref_digest', 'lane_id'],
  'WHERE execution_id IN (:execution_id)',
);
const RECORDED = readRows(
  conResultCorrelation,
  ['execution_id', 'commit_receipt_digest', 'result_digest'],
  'WHERE execution_id IN (:execution_id)',
);
const COMPLETE = updateRows(
  conExecution,
  `SET state = 'completed', ready_account = NULL, open_lane = NULL, awaiting_account = NULL, active_projection = NULL, finished_at = NOW(6)
 WHERE execution_id IN (:execution_id) AND account = :account AND state = 'ready' AND attempt_count > 0 AND epoch_digest = :epoch_digest`,
  'complete',
);

/** Receipts of one account; an answer for each, in order. */
export function recordResults(db: Db, account: AccountName, receipts: readonly RuntimeReceipt[]): Promise<readonly RecordResult[]> {
  return db.fenced(connectorDoors['record-results'], async (tx) => {
    const gate = await lockGate(tx, account);
    if (gate === undefined) return receipts.map(() => ({ kind: 'not-serving', mode: 'no-gate' }));
    if (!MODES.includes(gate.mode)) return receipts.map(() => ({ kind: 'not-serving', mode: gate.mode }));
    return record(tx, gate, receipts);
  });
}

async function record(tx: FencedTx, gate: Gate, receipts: readonly RuntimeReceipt[]): Promise<readonly RecordResult[]> {
  const lanes = await lanesOf(
    tx,
    receipts.map(({ executionId }) => executionId),
  );
  const rows = await tx.lockMany(SEEN, { execution_id: receipts.map(({ executionId }) => executionId) });
  const seen = new Map(rows.map((row) => [row.execution_id, row]));
  const before = await recordedBefore(tx, rows);
  const outcomes = await outcomesOf(
    tx,
    rows.filter((row) => row.lane_id !== null && !before.has(row.execution_id)).map((row) => row.command_id),
  );
  const judged = receipts.map((receipt) => {
    const row = seen.get(receipt.executionId);
    return judge(row, before.get(receipt.executionId), receipt, gate) ?? (row && judgeLane(row, lanes, outcomes, receipt)) ?? 'fresh';
  });
  const fresh = receipts.filter(
    (receipt, index) => judged[index] === 'fresh' && receipts.findIndex((other) => other.executionId === receipt.executionId) === index,
  );
  if (fresh.length > 0) await complete(tx, gate, fresh);
  const released = fresh.flatMap((receipt) => releasedBy(receipt, seen, outcomes));
  if (await releaseLanes(tx, gate.account, lanes, released)) await raiseWork(tx, 'execution', [gate.account]);
  return judged.map((answer) => (answer === 'fresh' ? { kind: 'recorded' } : answer));
}

type Seen = ReturnType<typeof SEEN.decode>;
type Recorded = ReturnType<typeof RECORDED.decode>;

async function recordedBefore(tx: FencedTx, rows: readonly Seen[]): Promise<Map<ExecutionId, Recorded>> {
  const finished = rows.filter((row) => row.state === 'completed').map((row) => row.execution_id);
  if (finished.length === 0) return new Map();
  const found = await tx.read(RECORDED, { execution_id: finished });
  return new Map(found.map((row) => [row.execution_id, row]));
}

function judge(row: Seen | undefined, before: Recorded | undefined, receipt: RuntimeReceipt, gate: Gate): RecordResult | undefined {
  const known = row !== undefined && row.account === gate.account && row.command_id === receipt.commandId;
  if (!known || row.execution_ref_digest !== receipt.executionRefDigest) return { kind: 'not-found' };
  if (before !== undefined) {
    const same = before.commit_receipt_digest === receipt.commitReceiptDigest;
    return same ? { kind: 'recorded' } : { kind: 'recorded-otherwise', resultDigest: before.result_digest };
  }
  const state = executionMachine.parse(row.state);
  if (state !== 'ready') return { kind: 'not-ready', state };
  if (row.attempt_count === 0) return { kind: 'not-claimed' };
  if (row.epoch_digest !== gate.epochDigest) return { kind: 'other-epoch', epochDigest: row.epoch_digest };
  return undefined;
}

/** In a lane only what is at work in it, with the outcome that the Runtime has under this very digest (con:RREC-P). */
function judgeLane(row: Seen, lanes: ActiveLanes, outcomes: Outcomes, receipt: RuntimeReceipt): RecordResult | undefined {
  if (row.lane_id === null) return undefined;
  if (lanes.get(row.lane_id)?.active !== row.execution_id) return { kind: 'not-active' };
  return outcomes.get(row.command_id)?.resultDigest === receipt.resultDigest ? undefined : { kind: 'not-found' };
}

function releasedBy({ executionId, commandId }: RuntimeReceipt, seen: ReadonlyMap<ExecutionId, Seen>, outcomes: Outcomes) {
  const laneId: LaneId | null = seen.get(executionId)?.lane_id ?? null;
  const outcome = outcomes.get(commandId)?.outcome;
  return laneId === null || outcome === undefined ? [] : [{ laneId, executionId, outcome }];
}

async function complete(tx: FencedTx, gate: Gate, fresh: readonly RuntimeReceipt[]): Promise<void> {
  await tx.insert(
    conResultCorrelation,
    fresh.map((receipt) => ({
      execution_id: receipt.executionId,
      command_id: receipt.commandId,
      execution_ref_digest: receipt.executionRefDigest,
      result_digest: receipt.resultDigest,
      commit_receipt: receipt.commitReceipt,
      commit_receipt_digest: receipt.commitReceiptDigest,
    })),
  );
  const landed = await tx.update(COMPLETE, {
    execution_id: fresh.map(({ executionId }) => executionId),
    account: gate.account,
    epoch_digest: gate.epochDigest,
  });
  invariant(landed === fresh.length, 'HOUSE:connector:CasUnexplained', `record-results landed ${landed} of ${fresh.length}`);
  await audit(
    tx,
    gate.account,
    fresh.map(({ executionId, commandId }) => ({ execution: executionId, command: commandId, from: 'ready', to: 'completed' })),
  );
}
