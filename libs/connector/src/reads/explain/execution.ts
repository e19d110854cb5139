import type { Instant } from '@connector/kernel/brand';
import { flag } from '@connector/kernel/column';
import type { CommandId, ExecutionId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution, conExecutionAttempt } from '@connector/schema/connector/execution';
import { runApplicationResult, runCommand } from '@connector/schema/runtime/runtime';
import { finding, type Finding, type FindingFacts } from '../../model/explain/finding';
import { executionMachine } from '../../model/execution/execution';
import type { Examined } from './examined';
import { servingFindings } from './serving';

const column = conExecution.columns;
const SEEN = {
  execution_id: column.execution_id,
  account: column.account,
  epoch_id: column.epoch_id,
  epoch_digest: column.epoch_digest,
  command_id: column.command_id,
  state: column.state,
  attempt_count: column.attempt_count,
  due_at: column.due_at,
  minted_at: column.minted_at,
  is_due: flag(),
} as const;
const LIST = `${Object.keys(SEEN)
  .filter((name) => name !== 'is_due')
  .join(', ')}, due_at <= NOW(6) AS is_due`;
const ONE = readQuery(conExecution, SEEN, `SELECT ${LIST} FROM ${conExecution.name} WHERE execution_id = :execution_id`, 'seen');
const OF_COMMAND = readRows(conExecution, ['execution_id'], 'WHERE command_id = :command_id', 'of-command');
const LAST_TRY = readRows(
  conExecutionAttempt,
  ['ordinal', 'claimant', 'leased_until', 'claimed_at'],
  'WHERE execution_id = :execution_id ORDER BY ordinal DESC LIMIT 1',
  'last',
);
const ACCEPTED = readRows(runCommand, ['accepted_at'], 'WHERE command_id = :command_id', 'accepted');
const RESULT = readRows(runApplicationResult, ['committed_at'], 'WHERE command_id = :command_id', 'committed');

type Seen = ReturnType<typeof ONE.decode>;

/** The execution that a Runtime command belongs to. */
export async function executionOfCommand(db: Db, commandId: CommandId): Promise<ExecutionId | undefined> {
  return (await db.readOne(OF_COMMAND, { command_id: commandId }))?.execution_id;
}

export async function examineExecution(db: Db, executionId: ExecutionId): Promise<Examined | undefined> {
  const row = await db.readOne(ONE, { execution_id: executionId });
  if (row === undefined) return undefined;
  const { account, epoch_id: epochId, epoch_digest: epochDigest } = row;
  const state = executionMachine.parse(row.state);
  const basis = { account, epochId, epochDigest };
  const findings = state === 'ready' ? await readyFindings(db, row, basis) : [];
  return { kind: 'execution', id: executionId, state, account, basis, findings, finished: state === 'completed' };
}

async function readyFindings(db: Db, row: Seen, basis: FindingFacts['basis'] & object): Promise<readonly Finding[]> {
  const accepted = await db.readOne(ACCEPTED, { command_id: row.command_id });
  const result = await db.readOne(RESULT, { command_id: row.command_id });
  const facts = { subject: row.execution_id, alertFrom: row.minted_at, basis, evidenceId: row.execution_id };
  const handed = accepted === undefined ? [] : [resultPending(accepted.accepted_at, result?.committed_at, facts)];
  // Recording a result needs no serving account (con:OPEN-15): once it is there, a halt holds nothing back.
  if (result !== undefined) return handed;
  return [...(await servingFindings(db, row.execution_id, basis)), ...handed, await claimFinding(db, row, facts)];
}

type Facts = Omit<FindingFacts, 'since'>;

function resultPending(since: Instant, committedAt: Instant | undefined, facts: Facts): Finding {
  const result = committedAt === undefined ? 'no result yet' : `its result of ${committedAt} is not recorded yet`;
  return finding('RESULT_PENDING', { since, result }, { ...facts, since });
}

async function claimFinding(db: Db, row: Seen, facts: Facts): Promise<Finding> {
  const held = row.is_due ? undefined : await db.readOne(LAST_TRY, { execution_id: row.execution_id });
  if (held === undefined) {
    return finding('NOT_PICKED_UP', { since: row.due_at, attempts: `${row.attempt_count}` }, { ...facts, since: row.due_at });
  }
  const { claimant, leased_until: until, ordinal, claimed_at: since } = held;
  return finding('LEASED', { claimant, until, attempt: `${ordinal}` }, { ...facts, since });
}
