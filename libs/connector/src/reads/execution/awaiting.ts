import type { AccountName, Instant } from '@connector/kernel/brand';
import { instant } from '@connector/kernel/column';
import type { Digest } from '@connector/kernel/digest';
import { type CommandId, ExecutionId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';

/** A claimed execution that owes a result. */
export interface Awaiting {
  readonly executionId: ExecutionId;
  readonly commandId: CommandId;
  readonly executionRefDigest: Digest;
}

export const AWAITING_MAX = 200;
/** A result is announced by the commit that makes it; this look finds what nobody announced, after a restore for example. */
const UNANNOUNCED_LOOK_SECONDS = 30;
const FIRST = ExecutionId.of(Buffer.alloc(16));

const PAGE = readRows(
  conExecution,
  ['execution_id', 'command_id', 'execution_ref_digest'],
  `WHERE awaiting_account = :awaiting_account AND execution_id > :execution_id ORDER BY execution_id LIMIT ${AWAITING_MAX}`,
  'awaiting',
);
const NEXT_LOOK = readQuery(
  conExecution,
  { due_at: instant() },
  `SELECT NOW(6) + INTERVAL ${UNANNOUNCED_LOOK_SECONDS} SECOND AS due_at FROM ${conExecution.name}
 WHERE awaiting_account = :awaiting_account LIMIT 1`,
  'next-look',
);
const STANDING = readRows(
  conExecution,
  ['execution_id'],
  'WHERE execution_id IN (:execution_id) AND awaiting_account IS NOT NULL AND due_at > NOW(6)',
  'standing',
);

/** At most 200 after this one, in the order of their ids; a page that is shorter is the last. */
export async function awaitingExecutions(db: Db, account: AccountName, after: ExecutionId = FIRST): Promise<readonly Awaiting[]> {
  const rows = await db.read(PAGE, { awaiting_account: account, execution_id: after });
  return rows.map((row) => ({ executionId: row.execution_id, commandId: row.command_id, executionRefDigest: row.execution_ref_digest }));
}

/** When results of the account are to be asked for although none was announced; null: it awaits none. */
export async function nextResultLook(db: Db, account: AccountName): Promise<Instant | null> {
  return (await db.readOne(NEXT_LOOK, { awaiting_account: account }))?.due_at ?? null;
}

/** Those of these executions that are claimed under a lease that has not ended, and have no result yet. */
export async function standingClaims(db: Db, executions: readonly ExecutionId[]): Promise<readonly ExecutionId[]> {
  if (executions.length === 0) return [];
  const rows = await db.read(STANDING, { execution_id: executions });
  return rows.map((row) => row.execution_id);
}
