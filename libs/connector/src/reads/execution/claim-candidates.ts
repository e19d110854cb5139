import type { AccountName, Instant } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { EpochId, ExecutionId, LaneId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { limited } from '../outbound/limit';

/** Whose executions: of one account, bound to the epoch that its gate names. Those of another epoch are nobody's to claim (con:CHN-05). */
export interface Claimable {
  readonly account: AccountName;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
}

export const CLAIM_MAX = 50;

const candidates = (limit: number) =>
  readRows(
    conExecution,
    ['execution_id', 'due_at'],
    `WHERE ready_account = :ready_account AND due_at <= NOW(6) AND epoch_digest = :epoch_digest
 ORDER BY due_at, execution_id ${limited(limit, CLAIM_MAX)}`,
    'claimable',
  );
const lanes = (limit: number) =>
  readRows(
    conOrderingLane,
    ['lane_id', 'due_at'],
    `WHERE ready_account = :ready_account AND due_at <= NOW(6) AND epoch_id = :epoch_id
 ORDER BY due_at, lane_id ${limited(limit, CLAIM_MAX)}`,
    'claimable',
  );
const NEXT_DUE = readRows(
  conExecution,
  ['due_at'],
  'WHERE ready_account = :ready_account AND epoch_digest = :epoch_digest ORDER BY due_at, execution_id LIMIT 1',
  'next-due',
);
const NEXT_LANE_DUE = readRows(
  conOrderingLane,
  ['due_at'],
  'WHERE ready_account = :ready_account AND epoch_id = :epoch_id ORDER BY due_at, lane_id LIMIT 1',
  'next-due',
);

/** What is due: executions outside of lanes, and lanes that have something to claim, to seal or to decide. */
export interface Candidates {
  readonly executions: readonly ExecutionId[];
  readonly lanes: readonly LaneId[];
}

/** At most `limit` (1..50) of both together, what is due the longest first; seen without a lock, so the claim decides. */
export async function claimCandidates(db: Db, of: Claimable, limit: number): Promise<Candidates> {
  const { account: ready_account, epochId, epochDigest } = of;
  const executions = await db.read(candidates(limit), { ready_account, epoch_digest: epochDigest });
  const due = await db.read(lanes(limit), { ready_account, epoch_id: epochId });
  const chosen = [...executions, ...due].sort((one, other) => (one.due_at < other.due_at ? -1 : 1)).slice(0, limit);
  return {
    executions: chosen.flatMap((one) => ('execution_id' in one ? [one.execution_id] : [])),
    lanes: chosen.flatMap((one) => ('lane_id' in one ? [one.lane_id] : [])),
  };
}

/** When the account has something to claim next: the first due execution or lane, or the first end of a lease. Null: nothing is open. */
export async function nextClaimDue(db: Db, of: Claimable): Promise<Instant | null> {
  const row = await db.readOne(NEXT_DUE, { ready_account: of.account, epoch_digest: of.epochDigest });
  const lane = await db.readOne(NEXT_LANE_DUE, { ready_account: of.account, epoch_id: of.epochId });
  const times = [row, lane].flatMap((one) => one?.due_at ?? []).sort();
  return times[0] ?? null;
}
