/**
 * EPOCH-05 reject-verified: epoch verified → rejected
 *
 * why     What an owner said when the candidate was verified is true of that moment only (con:VERI-O). Right before the activation the owners
 *         are asked again; an absence or a mismatch then ends the candidate. An unavailable owner never comes here (con:EPOCH-06).
 * paths   reject-verified
 * fence   epoch by (epoch_id, state, epoch_digest). No gate names a candidate, so the epoch row alone is enough; an activation locks it too.
 * again   The operation id. The evidence of the verification stands as it is; the reason of this rejection is the operation's and the audit's.
 */
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { EpochId, OperationId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEpoch } from '@connector/schema/connector/serving';
import { audit } from '../../fences/audit';
import { claimOperation, recallOperation } from '../../fences/operation';
import { connectorDoors } from '../../model/paths';
import { epochMachine, type EpochState } from '../../model/serving/epoch';

export interface RejectVerified {
  readonly operationId: OperationId;
  readonly epochId: EpochId;
  /** The digest of the epoch that was compared. */
  readonly epochDigest: Digest;
  /** What the owners' answers make of it now. */
  readonly reason: string;
  readonly requestedBy: string;
}

type Rejected = { readonly kind: 'rejected'; readonly epochId: EpochId; readonly reason: string };
export type RejectedVerified =
  | Rejected
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-verified'; readonly state: EpochState }
  | { readonly kind: 'epoch-differs'; readonly epochDigest: Digest }
  | { readonly kind: 'operation-reused' };

const LOCK = lockRows(conEpoch, ['epoch_digest', 'state'], 'WHERE epoch_id = :epoch_id');
const REJECT = updateRows(
  conEpoch,
  'SET state = :state.next, changed_at = NOW(6) WHERE epoch_id = :epoch_id AND state = :state AND epoch_digest = :epoch_digest',
  'reject',
);

export function rejectVerified(db: Db, input: RejectVerified): Promise<RejectedVerified> {
  return db.fenced(connectorDoors['reject-verified'], async (tx) => {
    const row = await tx.lock(LOCK, { epoch_id: input.epochId });
    const before = await recallOperation<Rejected>(tx, input.operationId);
    if (before !== undefined) return sameRejection(before, input);
    if (row === undefined) return { kind: 'not-found' };
    const state = epochMachine.parse(row.state);
    if (state !== 'verified') return { kind: 'not-verified', state };
    if (row.epoch_digest !== input.epochDigest) return { kind: 'epoch-differs', epochDigest: row.epoch_digest };
    return reject(tx, input);
  });
}

/** The first reason stands: the owners may say it in other words when they are asked again. */
function sameRejection(before: Rejected, { epochId }: RejectVerified): RejectedVerified {
  return before.epochId === epochId ? before : { kind: 'operation-reused' };
}

async function reject(tx: FencedTx, input: RejectVerified): Promise<RejectedVerified> {
  const { operationId, epochId, epochDigest, reason, requestedBy } = input;
  const answer: Rejected = { kind: 'rejected', epochId, reason };
  const before = await claimOperation(tx, operationId, answer);
  if (before !== undefined) return sameRejection(before, input);
  const landed = await tx.cas(REJECT, { epoch_id: epochId, state: 'verified', 'state.next': 'rejected', epoch_digest: epochDigest });
  invariant(landed, 'HOUSE:connector:CasUnexplained', `reject-verified did not land on ${epochId}`);
  await audit(tx, '*', [{ epoch: epochId, from: 'verified', to: 'rejected', reason, by: requestedBy }]);
  return answer;
}
