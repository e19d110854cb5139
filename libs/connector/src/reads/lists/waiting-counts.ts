import type { Instant } from '@connector/kernel/brand';
import { instant, int, word } from '@connector/kernel/column';
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
  {
    ...{ receipts: int(), executions: int(), in_lanes: int(), results: int() },
    ...{ effects: int(), confirmed: int(), uncertain: int(), permits: int() },
  },
  `SELECT ${some(conMaterialization.name, 'ready_account')} AS receipts, ${some(conExecution.name, 'ready_account')} AS executions,
          ${some(conExecution.name, 'open_lane')} AS in_lanes,
          ${some(conExecution.name, 'awaiting_account')} AS results, ${some(conRemoteEffect.name, 'ready_account')} AS effects,
          ${some(conRemoteEffect.name, 'finalize_account')} AS confirmed,
          ${some(conRemoteEffect.name, 'uncertain_account')} AS uncertain, ${some(conDispatchPermit.name, 'open_account')} AS permits`,
  'waiting',
);
const STAGES = readQuery(
  conAccountWork,
  { stage: word(16), due: int(), next_due: instant() },
  `SELECT stage, COUNT(CASE WHEN due_at <= NOW(6) THEN 1 END) AS due, MIN(due_at) AS next_due
     FROM ${conAccountWork.name} WHERE due_at IS NOT NULL GROUP BY stage ORDER BY stage LIMIT 20`,
  'stages',
);

/** What is unfinished, by kind; at most 1000 of each are counted, of executions as many in lanes again, from the indexes that hold no history. */
export interface WaitingCounts {
  readonly receipts: number;
  readonly executions: number;
  readonly results: number;
  readonly effects: number;
  readonly confirmed: number;
  /** Calls of which nobody knows whether they took effect. */
  readonly uncertain: number;
  readonly permits: number;
}

export async function waitingCounts(db: Db): Promise<WaitingCounts> {
  const none = { receipts: 0, executions: 0, results: 0, effects: 0, confirmed: 0, uncertain: 0, permits: 0 };
  const counted = await db.readOne(COUNTS, {});
  if (counted === undefined) return none;
  const { in_lanes, ...counts } = counted;
  return { ...counts, executions: counts.executions + in_lanes };
}

export interface StageDue {
  readonly stage: string;
  /** Accounts that a poller of this stage looks at now. */
  readonly due: number;
  /** When the first account is due; past where `due` is not 0. */
  readonly next_due: Instant;
}

/** Stages that have an account to look at, now or later: a lease that runs is due at its end. */
export function stagesDue(db: Db): Promise<readonly StageDue[]> {
  return db.read(STAGES, {});
}
