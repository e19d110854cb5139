/**
 * CLM claim-executions: ready executions outside of lanes are leased for one try (con:ORD-12)
 *
 * why     A claim gives the same immutable execution to one submitter for a while. It is no authority for I/O: when the lease ends,
 *         the same command is submitted again, under the same id (decisions 13.7).
 * paths   claim-executions
 * fence   the standard fence; each execution `ready`, due, and bound to the epoch that the gate holds.
 * again   Same candidates: the ones claimed before are `not-due`, under their lease.
 */
import type { Instant } from '@connector/kernel/brand';
import { flag, instant, int } from '@connector/kernel/column';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { CommandId, ExecutionId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution, conExecutionAttempt } from '@connector/schema/connector/execution';
import { lockServingGate, takeServingGate, type Gate, type GateBusy, type GateBasis, type NotServing } from '../../fences/serving-gate';
import { executionMachine, type ExecutionState } from '../../model/execution/execution';
import { connectorDoors } from '../../model/paths';

export interface Claim {
  readonly claimant: string;
  /** How long the claim stands, milliseconds, from the account's frozen policy. */
  readonly leaseMs: number;
  /** Candidates of this account, at most 200. */
  readonly executions: readonly ExecutionId[];
  /** Answer `gate-busy` instead of waiting for the gate (decisions 3.8). */
  readonly ifFree?: true;
}

export type ClaimExecution =
  | { readonly kind: 'claimed'; readonly executionId: ExecutionId; readonly attempt: number; readonly commandId: CommandId }
  | { readonly kind: 'not-due'; readonly dueAt: Instant }
  | { readonly kind: 'not-ready'; readonly state: ExecutionState }
  | { readonly kind: 'other-epoch'; readonly epochDigest: Digest }
  | { readonly kind: 'not-found' }
  /** Its lane is what is claimed. */
  | { readonly kind: 'in-lane' }
  | GateBusy
  | NotServing;

const SEEN = lockRows(
  conExecution,
  ['execution_id', 'account', 'epoch_digest', 'state', 'attempt_count', 'command_id', 'due_at', 'lane_id'],
  'WHERE execution_id IN (:execution_id)',
  {
    params: { lease_ms: int() },
    computed: {
      is_due: { sql: 'due_at <= NOW(6)', column: flag() },
      leased_until: { sql: 'NOW(6) + INTERVAL 1000 * :lease_ms MICROSECOND', column: instant() },
    },
  },
);
const CLAIM = updateRows(
  conExecution,
  `SET attempt_count = attempt_count + 1, awaiting_account = account, due_at = :due_at
 WHERE execution_id IN (:execution_id) AND account = :account AND state = 'ready' AND due_at <= NOW(6) AND epoch_digest = :epoch_digest
   AND lane_id IS NULL`,
  'claim',
);

/** An answer for each candidate, in order (con:CLM-O, con:CLM-X). */
export function claimExecutions(db: Db, basis: GateBasis, claim: Claim): Promise<readonly ClaimExecution[]> {
  return db.fenced(connectorDoors['claim-executions'], async (tx) => {
    const fence = await (claim.ifFree ? takeServingGate : lockServingGate)(tx, basis);
    if (fence.kind !== 'serving') return claim.executions.map(() => fence);
    const rows = await tx.lockMany(SEEN, { execution_id: claim.executions, lease_ms: claim.leaseMs });
    const seen = new Map(rows.map((row) => [row.execution_id, row]));
    const judged = claim.executions.map((id) => judge(seen.get(id), fence.gate));
    const claimed = rows.filter((row) => judge(row, fence.gate).kind === 'claimed');
    if (claimed.length > 0) await lease(tx, fence.gate, claim, claimed);
    return judged;
  });
}

type Seen = ReturnType<typeof SEEN.decode>;

function judge(row: Seen | undefined, gate: Gate): ClaimExecution {
  if (row === undefined || row.account !== gate.account) return { kind: 'not-found' };
  if (row.lane_id !== null) return { kind: 'in-lane' };
  const state = executionMachine.parse(row.state);
  if (state !== 'ready') return { kind: 'not-ready', state };
  if (row.epoch_digest !== gate.epochDigest) return { kind: 'other-epoch', epochDigest: row.epoch_digest };
  if (!row.is_due) return { kind: 'not-due', dueAt: row.due_at };
  return { kind: 'claimed', executionId: row.execution_id, attempt: row.attempt_count + 1, commandId: row.command_id };
}

async function lease(tx: FencedTx, gate: Gate, claim: Claim, claimed: readonly Seen[]): Promise<void> {
  const until = (claimed[0] as Seen).leased_until;
  await tx.insert(
    conExecutionAttempt,
    claimed.map((row) => ({
      execution_id: row.execution_id,
      ordinal: row.attempt_count + 1,
      claimant: claim.claimant,
      gate_fence: gate.fence,
      epoch_id: gate.epochId,
      leased_until: until,
    })),
  );
  const executions = claimed.map((row) => row.execution_id);
  const landed = await tx.update(CLAIM, {
    execution_id: executions,
    account: gate.account,
    epoch_digest: gate.epochDigest,
    due_at: until,
  });
  invariant(landed === claimed.length, 'HOUSE:connector:CasUnexplained', `claim-executions landed ${landed} of ${claimed.length}`);
}
