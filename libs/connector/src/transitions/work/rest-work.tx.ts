/**
 * rest-work: let an account rest in a stage until a time, or until more is produced
 *
 * why     Whoever consumed reads `produced` before it scans; a row that was raised since then stays due (decisions 3.8).
 * paths   rest-work
 * fence   work row by (stage, account, produced)
 * again   Idempotent; a lost rest only costs a look.
 */
import type { AccountName, Instant } from '@connector/kernel/brand';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conAccountWork } from '@connector/schema/connector/serving';
import { connectorDoors } from '../../model/paths';
import type { WorkStage } from '../../model/serving/work';

export type RestWork = { readonly kind: 'rested' | 'more-produced' };

export interface Rest {
  readonly stage: WorkStage;
  readonly account: AccountName;
  readonly producedSeen: bigint;
  /** A time that the database gave; null: until somebody produces. */
  readonly dueAt: Instant | null;
}

const REST = updateRows(
  conAccountWork,
  'SET due_at = :due_at WHERE stage = :stage AND account = :account AND produced = :produced',
  'rest',
);

export function restWork(db: Db, rest: Rest): Promise<RestWork> {
  return db.fenced(connectorDoors['rest-work'], async (tx) => {
    const landed = await tx.cas(REST, { stage: rest.stage, account: rest.account, produced: rest.producedSeen, due_at: rest.dueAt });
    return { kind: landed ? 'rested' : 'more-produced' };
  });
}
