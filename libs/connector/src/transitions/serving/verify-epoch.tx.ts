/**
 * VERI verify-epoch: epoch prepared → verified | rejected
 *
 * why     The verdict was made before, from the owners' fresh answers (model/serving/verification.ts); here it is only recorded, against a
 *         candidate that nobody moved meanwhile. An unavailable owner never comes here: the candidate stays as it is (con:EPOCH-03).
 * paths   verify-epoch
 * fence   epoch by (epoch_id, state, epoch_digest). No gate names a candidate, so the epoch row alone is enough.
 * again   The operation id. What was verified is true of that moment and promises nothing (con:VERI-O).
 */
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { EpochId, OperationId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEpoch, conEpochVerification } from '@connector/schema/connector/serving';
import { audit } from '../../fences/audit';
import { claimOperation, recallOperation } from '../../fences/operation';
import { connectorDoors } from '../../model/paths';
import { epochMachine, type EpochState } from '../../model/serving/epoch';

export interface VerifyEpoch {
  readonly operationId: OperationId;
  readonly epochId: EpochId;
  /** The digest of the candidate that was compared. */
  readonly epochDigest: Digest;
  readonly verdict: { readonly kind: 'verified' } | { readonly kind: 'rejected'; readonly reason: string };
  readonly evidence: Buffer;
  readonly requestedBy: string;
}

type Decided = { readonly kind: 'verified' | 'rejected'; readonly epochId: EpochId };
export type VerifiedEpoch =
  | Decided
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-prepared'; readonly state: EpochState }
  | { readonly kind: 'candidate-differs'; readonly epochDigest: Digest }
  | { readonly kind: 'operation-reused' };

const LOCK = lockRows(conEpoch, ['epoch_digest', 'state'], 'WHERE epoch_id = :epoch_id');
const VERIFY = updateRows(
  conEpoch,
  'SET state = :state.next, changed_at = NOW(6) WHERE epoch_id = :epoch_id AND state = :state AND epoch_digest = :epoch_digest',
  'verify',
);

export function verifyEpoch(db: Db, input: VerifyEpoch): Promise<VerifiedEpoch> {
  return db.fenced(connectorDoors['verify-epoch'], async (tx) => {
    const row = await tx.lock(LOCK, { epoch_id: input.epochId });
    const before = await recallOperation<Decided>(tx, input.operationId);
    if (before !== undefined) return sameDecision(before, input);
    if (row === undefined) return { kind: 'not-found' };
    const state = epochMachine.parse(row.state);
    if (state !== 'prepared') return { kind: 'not-prepared', state };
    if (row.epoch_digest !== input.epochDigest) return { kind: 'candidate-differs', epochDigest: row.epoch_digest };
    return decide(tx, input);
  });
}

function sameDecision(before: Decided, { epochId, verdict }: VerifyEpoch): VerifiedEpoch {
  return before.epochId === epochId && before.kind === verdict.kind ? before : { kind: 'operation-reused' };
}

async function decide(tx: FencedTx, input: VerifyEpoch): Promise<VerifiedEpoch> {
  const { operationId, epochId, epochDigest, verdict, evidence, requestedBy } = input;
  const answer: Decided = { kind: verdict.kind, epochId };
  const before = await claimOperation(tx, operationId, answer);
  if (before !== undefined) return sameDecision(before, input);
  await tx.insert(conEpochVerification, [{ epoch_id: epochId, operation_id: operationId, verdict: verdict.kind, evidence }]);
  const landed = await tx.cas(VERIFY, { epoch_id: epochId, state: 'prepared', 'state.next': verdict.kind, epoch_digest: epochDigest });
  invariant(landed, 'HOUSE:connector:CasUnexplained', `verify-epoch did not land on ${epochId}`);
  const reason = verdict.kind === 'rejected' ? verdict.reason : null;
  await audit(tx, '*', [{ epoch: epochId, from: 'prepared', to: verdict.kind, reason, by: requestedBy }]);
  return answer;
}
