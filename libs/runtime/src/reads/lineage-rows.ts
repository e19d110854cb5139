import type { CommandId, ExecutionId } from '@connector/kernel/ids';
import { nullable } from '@connector/kernel/column';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { runApplicationResult, runCommand, runOutboundCommand } from '@connector/schema/runtime/runtime';

const LEVEL_MAX = 200;
const COMMANDS = readQuery(
  runCommand,
  {
    command_id: runCommand.columns.command_id,
    accepted_at: runCommand.columns.accepted_at,
    outcome: nullable(runApplicationResult.columns.outcome),
    reason: runApplicationResult.columns.reason,
    detail: runApplicationResult.columns.detail,
    committed_at: nullable(runApplicationResult.columns.committed_at),
  },
  `SELECT c.command_id, c.accepted_at, a.outcome, a.reason, a.detail, a.committed_at FROM ${runCommand.name} c
  LEFT JOIN ${runApplicationResult.name} a ON a.command_id = c.command_id WHERE c.command_id IN (:command_id)`,
  'lineage',
);
const OUTBOUND = readRows(
  runOutboundCommand,
  ['outbound_command_id', 'execution_id', 'account', 'intent', 'effect_slot', 'feed_seq', 'authored_at'],
  `WHERE execution_id IN (:execution_id) ORDER BY execution_id, feed_seq LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);

/** What the Runtime has of these commands; one that it never accepted is absent. At most 201 ids. */
export async function readCommandRows(db: Db, ids: readonly CommandId[]) {
  return ids.length === 0 ? [] : db.read(COMMANDS, { command_id: ids });
}
export type CommandRow = Awaited<ReturnType<typeof readCommandRows>>[number];

/** The outbound commands that these executions authored, 200 at most; one more row says that there are more. */
export async function readAuthoredRows(db: Db, ids: readonly ExecutionId[]) {
  return ids.length === 0 ? [] : db.read(OUTBOUND, { execution_id: ids });
}
export type AuthoredRow = Awaited<ReturnType<typeof readAuthoredRows>>[number];
