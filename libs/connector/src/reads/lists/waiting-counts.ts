import type { Instant } from '@connector/kernel/brand';
import { instant, int, nullable, word } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { conMaterialization } from '@connector/schema/connector/inbound';
import { conDispatchPermit, conRemoteEffect } from '@connector/schema/connector/outbound';
import { conAccountWork } from '@connector/schema/connector/serving';

const COUNT_MAX = 1_000;
const some = (table: string, column: string): string =>
  `(SELECT COUNT(*) FROM (SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL LIMIT ${COUNT_MAX}) t)`;
const COUNTS = readQuery(
  conAccountWork,
  { receipts: int(), executions: int(), results: int(), effects: int(), confirmed: int(), permits: int() },
  `SELECT ${some(conMaterialization.name, 'ready_account')} AS receipts, ${some(conExecution.name, 'ready_account')} AS executions,
          ${some(conExecution.name, 'awaiting_account')} AS results, ${some(conRemoteEffect.name, 'ready_account')} AS effects,
          ${some(conRemoteEffect.name, 'finalize_account')} AS confirmed, ${some(conDispatchPermit.name, 'open_account')} AS permits`,
  'waiting',
);
const STAGES = readQuery(
  conAccountWork,
  { stage: word(16), due: int(), oldest: nullable(instant()) },
  `SELECT stage, COUNT(*) AS due, MIN(due_at) AS oldest FROM ${conAccountWork.name} WHERE due_at <= NOW(6) GROUP BY stage ORDER BY stage LIMIT 20`,
  'stages',
);

/** What is unfinished, by kind; at most 1000 of each are counted, from the indexes that hold no history. */
export interface WaitingCounts {
  readonly receipts: number;
  readonly executions: number;
  readonly results: number;
  readonly effects: number;
  readonly confirmed: number;
  readonly permits: number;
}

export async function waitingCounts(db: Db): Promise<WaitingCounts> {
  const none = { receipts: 0, executions: 0, results: 0, effects: 0, confirmed: 0, permits: 0 };
  return (await db.readOne(COUNTS, {})) ?? none;
}

/** Stages whose pollers have accounts to look at now, with the time of the oldest. */
export function dueStages(db: Db): Promise<readonly { readonly stage: string; readonly due: number; readonly oldest: Instant | null }[]> {
  return db.read(STAGES, {});
}
