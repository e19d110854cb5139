import { flag } from '@connector/kernel/column';
import type { CommandId, ExecutionId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution, conExecutionAttempt } from '@connector/schema/connector/execution';
import { finding, type Finding, type FindingFacts, type PolicyBasis } from '../../model/explain/finding';
import { executionMachine } from '../../model/execution/execution';
import { whyText } from '../../model/execution/why';
import { SUPERSEDED } from '../../model/ordering/superseded';
import type { Examined } from './examined';
import { gapQuarantine, orderFindings, supersededFindings, type InLane } from './order';
import { destinationFindings, servingFindings } from './serving';
import type { ExplainSources, Handover } from './sources';

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
  projection_id: column.projection_id,
  reason: column.reason,
  lane_id: column.lane_id,
  source_position: column.source_position,
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

type Seen = ReturnType<typeof ONE.decode>;

/** The command of an execution, for whoever asks the Runtime. */
export async function commandOf(db: Db, executionId: ExecutionId): Promise<CommandId | undefined> {
  return (await db.readOne(ONE, { execution_id: executionId }))?.command_id;
}

/** The execution that a Runtime command belongs to. */
export async function executionOfCommand(db: Db, commandId: CommandId): Promise<ExecutionId | undefined> {
  return (await db.readOne(OF_COMMAND, { command_id: commandId }))?.execution_id;
}

export async function examineExecution(db: Db, sources: ExplainSources, executionId: ExecutionId): Promise<Examined | undefined> {
  const row = await db.readOne(ONE, { execution_id: executionId });
  if (row === undefined) return undefined;
  const { account, epoch_id: epochId, epoch_digest: epochDigest } = row;
  const state = executionMachine.parse(row.state);
  const basis = { account, epochId, epochDigest };
  const findings = await findingsOf(db, sources, row, basis);
  const finished = state === 'completed' || (state === 'quarantined' && row.reason === SUPERSEDED);
  return { kind: 'execution', id: executionId, state, account, basis, findings, finished };
}

async function findingsOf(db: Db, sources: ExplainSources, row: Seen, basis: PolicyBasis): Promise<readonly Finding[]> {
  const lane = inLane(row);
  if (row.state === 'completed') return endedFindings(sources, row, basis);
  if (row.state === 'quarantined')
    return row.reason === SUPERSEDED ? supersededFindings(db, row.projection_id, row.execution_id) : stopped(db, row, basis);
  return lane !== undefined && row.attempt_count === 0
    ? waitingFindings(db, sources, row, lane, basis)
    : readyFindings(db, sources, row, basis);
}

const inLane = ({ lane_id, ...row }: Seen): InLane | undefined => (lane_id === null ? undefined : { ...row, lane_id });

function factsOf(row: Seen, basis: PolicyBasis): Facts {
  return { subject: row.execution_id, alertFrom: row.minted_at, basis, evidenceId: row.execution_id };
}

async function stopped(db: Db, row: Seen, basis: PolicyBasis): Promise<readonly Finding[]> {
  const lane = inLane(row);
  return lane === undefined ? [] : gapQuarantine(db, lane, factsOf(row, basis));
}

/** Completed, it owes nothing; where nothing came of it, somebody will ask why. */
async function endedFindings(sources: ExplainSources, row: Seen, basis: PolicyBasis): Promise<readonly Finding[]> {
  const handover = await sources.handover(row.command_id);
  if (handover === undefined || handover.committed_at === null || handover.outcome !== 'failed') return [];
  const { committed_at: at } = handover;
  const cause = whyText(handover) ?? handover.outcome;
  return [finding('ENDED_WITHOUT_CHANGE', { at, cause }, { ...factsOf(row, basis), since: at })];
}

/** Nobody has it: its lane says why, or it is the next and nobody has come for it. */
async function waitingFindings(db: Db, sources: ExplainSources, row: Seen, lane: InLane, basis: PolicyBasis): Promise<readonly Finding[]> {
  const facts = factsOf(row, basis);
  const serving = await servingFindings(db, row.execution_id, basis);
  const order = await orderFindings(db, sources, lane, facts);
  const next = finding('NOT_PICKED_UP', { since: row.minted_at, attempts: '0' }, { ...facts, since: row.minted_at });
  return [...serving, ...(order.length > 0 ? order : [next])];
}

async function readyFindings(db: Db, sources: ExplainSources, row: Seen, basis: PolicyBasis): Promise<readonly Finding[]> {
  const handover = await sources.handover(row.command_id);
  const facts = factsOf(row, basis);
  const handed = handover === undefined ? [] : [resultPending(handover, facts)];
  // Recording a result needs no serving account (con:OPEN-15): once it is there, a halt holds nothing back.
  if (handover !== undefined && handover.committed_at !== null) return handed;
  const stopped = await servingFindings(db, row.execution_id, basis);
  const turnedBack = handover === undefined ? [] : await destinationFindings(db, facts, basis);
  return [...stopped, ...turnedBack, ...handed, await claimFinding(db, row, facts)];
}

type Facts = Omit<FindingFacts, 'since'>;

function resultPending({ accepted_at: since, committed_at: at }: Handover, facts: Facts): Finding {
  const result = at === null ? 'no result yet' : `its result of ${at} is not recorded yet`;
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
