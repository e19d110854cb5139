import { conExecution, conExecutionAttempt, conResultCorrelation } from '@connector/schema/connector/execution';
import type { ExecutionId } from '@connector/kernel/ids';
import { claimCandidates } from '@connector/connector/reads/execution/claim-candidates';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import type { TestSchema } from '../database';
import type { ServedAccount } from '../fixtures/account';
import { readyExecutions, receiptFor } from '../fixtures/execution';

export interface Side {
  readonly schema: TestSchema;
  readonly served: ServedAccount;
}

/** How many every history begins with. */
export const SHORT = 1_000;
/** What one look of the claimant takes of an account. */
export const SHARE = 20;
const STEP = 200;
const LEASE_MS = 600_000;

export async function claim({ schema, served }: Side): Promise<void> {
  const { executions } = await claimCandidates(schema.db, served, SHARE);
  const answers = await claimExecutions(schema.db, served, { claimant: 'bench', leaseMs: LEASE_MS, executions });
  const claimed = answers.filter(({ kind }) => kind === 'claimed').length;
  if (claimed !== SHARE) throw new Error(`${claimed} of ${SHARE} were claimed`);
}

export async function finish({ schema, served }: Side, executions: readonly ExecutionId[]): Promise<void> {
  const receipts = [];
  for (const id of executions) receipts.push(await receiptFor(schema, id));
  const answers = await recordResults(schema.db, served.account, receipts);
  const other = answers.find(({ kind }) => kind !== 'recorded');
  if (other !== undefined) throw new Error(`a result was not recorded: ${other.kind}`);
}

/**
 * `count` finished executions, from 1,000 on. These go through the doors to their end. The others are copies of them with ids as random as a
 * digest's, all in the ready index first and taken out of it then; with them what a claim writes beside and a result leaves behind.
 */
export async function retain(side: Side, count: number, say: (line: string) => void): Promise<void> {
  const began = performance.now();
  for (let at = 0; at < SHORT; at += STEP) {
    const keys = Array.from({ length: STEP }, (_, index) => `seed-${at + index}`);
    const made = await readyExecutions(side.schema, side.served, keys);
    for (let look = 0; look < STEP / SHARE; look += 1) await claim(side);
    await finish(side, made);
  }
  for (let have = SHORT, step = 1; have < count; have = Math.min(count, have * 2), step += 1) {
    await copy(side.schema, Math.min(have, count - have), step);
    say(`${Math.min(count, have * 2)} of ${count} finished executions after ${Math.round((performance.now() - began) / 1_000)} s`);
  }
  await side.schema.sql('ANALYZE TABLE con_execution, con_execution_attempt, con_result_correlation');
}

/** Column by column what a copy has another value in. `con_execution` last: the first so many of each table are the same ones only before. */
const COPIES = [
  [conExecutionAttempt, { execution_id: copied('execution_id') }],
  [conResultCorrelation, { execution_id: copied('execution_id'), command_id: copied('command_id') }],
  [
    conExecution,
    {
      ...Object.fromEntries(['execution_id', 'projection_id', 'command_id'].map((name) => [name, copied(name)])),
      ...{ state: "'ready'", ready_account: 'account', due_at: 'NOW(6)', finished_at: 'NULL' },
    },
  ],
] as const;
const FINISH = "UPDATE con_execution SET state = 'completed', ready_account = NULL, finished_at = NOW(6) WHERE ready_account IS NOT NULL";

function copied(column: string): string {
  return `UNHEX(MD5(CONCAT(${column}, ':step')))`;
}

async function copy(schema: TestSchema, count: number, step: number): Promise<void> {
  for (const [{ name, columns }, changed] of COPIES) {
    const names = Object.keys(columns);
    const values = names.map((column) => Reflect.get(changed, column) ?? column).join(', ');
    const sql = `INSERT INTO ${name} (${names.join(', ')}) SELECT ${values} FROM ${name} ORDER BY execution_id LIMIT ${count}`;
    await schema.sql(sql.replaceAll(':step', String(step)));
  }
  await schema.sql(FINISH);
}
