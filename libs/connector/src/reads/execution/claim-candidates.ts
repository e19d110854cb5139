import type { AccountName, Instant } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { ExecutionId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { limited } from '../outbound/limit';

/** Whose executions: of one account, bound to the epoch that its gate names. Those of another epoch are nobody's to claim (con:CHN-05). */
export interface Claimable {
  readonly account: AccountName;
  readonly epochDigest: Digest;
}

export const CLAIM_MAX = 50;

const candidates = (limit: number) =>
  readRows(
    conExecution,
    ['execution_id'],
    `WHERE ready_account = :ready_account AND due_at <= NOW(6) AND epoch_digest = :epoch_digest
 ORDER BY due_at, execution_id ${limited(limit, CLAIM_MAX)}`,
    'claimable',
  );
const NEXT_DUE = readRows(
  conExecution,
  ['due_at'],
  'WHERE ready_account = :ready_account AND epoch_digest = :epoch_digest ORDER BY due_at, execution_id LIMIT 1',
  'next-due',
);

/** Due executions, oldest first, at most `limit` (1..50); seen without a lock, so the claim decides. */
export async function claimCandidates(db: Db, of: Claimable, limit: number): Promise<readonly ExecutionId[]> {
  const rows = await db.read(candidates(limit), { ready_account: of.account, epoch_digest: of.epochDigest });
  return rows.map((row) => row.execution_id);
}

/** When the account has something to claim next: the first due execution, or the first end of a lease. Null: nothing is open. */
export async function nextClaimDue(db: Db, of: Claimable): Promise<Instant | null> {
  const row = await db.readOne(NEXT_DUE, { ready_account: of.account, epoch_digest: of.epochDigest });
  return row?.due_at ?? null;
}
