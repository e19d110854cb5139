/**
 * SEND start-sending: permit granted → sending
 *
 * why     Commits "I/O may have started" before any byte leaves; the winner makes exactly one provider call.
 * paths   start-sending
 * fence   permit by (permit_id, state, holder, holder_fence, credential_fence); the credential gate enabled under that fence. The account
 *         gate is not looked at: an open permit by itself keeps the account from `v2_halted` (decisions 8, con:OPEN-22).
 * again   Same call, same token: `sending` under one's own token is one's own right to send once; any other is not (decisions 13.1).
 */
import type { CredentialFence, HolderFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { CredentialGenerationId, PermitId, SendToken } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conDispatchPermit } from '@connector/schema/connector/outbound';
import { audit } from '../../fences/audit';
import { lockCredentialGate, type CredentialGate } from '../../fences/credential-gate';
import { permitMachine, type PermitState } from '../../model/outbound/permit';
import { connectorDoors } from '../../model/paths';

/** One permit as its holder knows it. */
export interface PermitRef {
  readonly permitId: PermitId;
  readonly credentialFence: CredentialFence;
}

/** The permits of one credential generation that one invocation of one holder wants to send. */
export interface SendBatch {
  readonly credentialGenerationId: CredentialGenerationId;
  readonly holderId: string;
  readonly holderFence: HolderFence;
  /** Minted before the first try, kept in memory only, consumed before the first byte. */
  readonly sendToken: SendToken;
  readonly permits: readonly PermitRef[];
}

export type StartSending =
  | { readonly kind: 'sending' }
  | { readonly kind: 'credential-revoked' }
  | { readonly kind: 'credential-gate-missing' }
  | { readonly kind: 'credential-fence-moved' }
  | { readonly kind: 'holder-fenced-off' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-granted'; readonly state: PermitState };

const SEEN = lockRows(
  conDispatchPermit,
  ['permit_id', 'state', 'holder_id', 'holder_fence', 'credential_generation_id', 'credential_fence', 'send_token'],
  'WHERE permit_id IN (:permit_id)',
);
const SEND = updateRows(
  conDispatchPermit,
  `SET state = 'sending', io_may_have_started = 1, send_token = :send_token, sending_at = NOW(6)
 WHERE permit_id IN (:permit_id) AND state = 'granted' AND holder_id = :holder_id AND holder_fence = :holder_fence
   AND credential_generation_id = :credential_generation_id AND credential_fence = :credential_fence`,
  'send',
);

/** Answers per permit, in order. Only `sending` allows a byte to leave, once, and only after this has returned (con:SEND-O). */
export function startSending(db: Db, batch: SendBatch): Promise<readonly StartSending[]> {
  return db.fenced(connectorDoors['start-sending'], async (tx) => {
    const gate = await lockCredentialGate(tx, batch.credentialGenerationId);
    const rows = await tx.lockMany(SEEN, { permit_id: batch.permits.map((permit) => permit.permitId) });
    const held = new Map(rows.map((row) => [row.permit_id, row]));
    const judged = batch.permits.map((permit) => judge(held.get(permit.permitId), permit, batch, gate));
    const granted = batch.permits.filter((_, index) => judged[index] === 'granted');
    if (gate !== undefined && granted.length > 0) await land(tx, batch, granted, gate.fence);
    return judged.map((answer) => (answer === 'granted' ? { kind: 'sending' } : answer));
  });
}

async function land(tx: FencedTx, batch: SendBatch, granted: readonly PermitRef[], fence: CredentialFence): Promise<void> {
  const landed = await tx.update(SEND, {
    permit_id: granted.map((permit) => permit.permitId),
    send_token: batch.sendToken,
    holder_id: batch.holderId,
    holder_fence: batch.holderFence,
    credential_generation_id: batch.credentialGenerationId,
    credential_fence: fence,
  });
  invariant(landed === granted.length, 'HOUSE:connector:CasUnexplained', `start-sending landed ${landed} of ${granted.length}`);
  await audit(
    tx,
    '*',
    granted.map((permit) => ({ permit: permit.permitId, from: 'granted', to: 'sending', holder: batch.holderId })),
  );
}

type Seen = ReturnType<typeof SEEN.decode>;

/** Which clause is false for this permit, by its locked row; `granted` when none is. */
function judge(row: Seen | undefined, permit: PermitRef, batch: SendBatch, gate: CredentialGate | undefined): StartSending | 'granted' {
  if (row === undefined || row.credential_generation_id !== batch.credentialGenerationId) return { kind: 'not-found' };
  if (row.holder_id !== batch.holderId || row.holder_fence !== batch.holderFence) return { kind: 'holder-fenced-off' };
  const state = permitMachine.parse(row.state);
  // Our own COMMIT whose answer was lost: the token is in this invocation's memory and in this row, nowhere else. A revocation
  // that came after that commit does not recall the call (con:CRASH-19).
  if (state === 'sending' && row.send_token === batch.sendToken) return { kind: 'sending' };
  if (state !== 'granted') return { kind: 'not-granted', state };
  if (gate === undefined) return { kind: 'credential-gate-missing' };
  if (gate.mode !== 'enabled') return { kind: 'credential-revoked' };
  if (row.credential_fence !== gate.fence || permit.credentialFence !== gate.fence) return { kind: 'credential-fence-moved' };
  return 'granted';
}
