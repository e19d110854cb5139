import type { AccountName } from '@connector/kernel/brand';
import { u64 } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conAccountWork } from '@connector/schema/connector/serving';
import type { WorkStage } from '../../model/serving/work';

/** An account that has work now. `produced` goes back with the rest, so that what came meanwhile keeps it due (decisions 3.8). */
export interface DueWork {
  readonly account: AccountName;
  readonly produced: bigint;
  /** For how long it has been due, ms by the database's clock. */
  readonly due_ms: bigint;
}

const { account, produced } = conAccountWork.columns;
const DUE = readQuery(
  conAccountWork,
  { account, produced, due_ms: u64() },
  `SELECT account, produced, TIMESTAMPDIFF(MICROSECOND, due_at, NOW(6)) DIV 1000 AS due_ms
     FROM con_account_work WHERE stage = :stage AND due_at <= NOW(6) ORDER BY due_at LIMIT 100`,
);

/** At most 100 accounts, the longest due first: one range of one index, whatever the history. */
export function readDueWork(db: Db, stage: WorkStage): Promise<readonly DueWork[]> {
  return db.read(DUE, { stage });
}
