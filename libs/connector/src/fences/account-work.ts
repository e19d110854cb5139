import type { AccountName } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conAccountWork } from '@connector/schema/connector/serving';
import type { WorkStage } from '../model/serving/work';

const RAISE = updateRows(
  conAccountWork,
  `SET produced = produced + 1,
       due_at = CASE WHEN due_at IS NULL OR due_at > NOW(6) THEN NOW(6) ELSE due_at END
 WHERE stage = :stage AND account IN (:account)`,
  'raise',
);

/**
 * Says in the producing commit that these accounts have work in `stage` now. Work rows come last in the lock order and are born
 * with the gates, so one is always there.
 */
export async function raiseWork(tx: FencedTx, stage: WorkStage, accounts: readonly AccountName[]): Promise<void> {
  const distinct = [...new Set(accounts)];
  const met = await tx.update(RAISE, { stage, account: distinct });
  invariant(met === distinct.length, 'HOUSE:connector:WorkRowMissing', `${stage}: ${met} of ${distinct.length} work rows`);
}

/** The same for an account that may have no gate yet: then it has no work row either, and nothing to find. */
export async function raiseWorkIfServed(tx: FencedTx, stage: WorkStage, account: AccountName): Promise<void> {
  await tx.update(RAISE, { stage, account: [account] });
}
