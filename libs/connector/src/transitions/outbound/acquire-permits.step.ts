/**
 * PACQ acquire-permits: permits granted to a holder, effects prepared → dispatching
 *
 * why     A permit is the one right to one provider call; it carries the fences under which it was granted and never expires.
 * fence   the standard fence; the credential gate enabled; the effect `prepared`, due and of the gate's epoch; the holder's fence
 *         current; no more permits granted to the holder than it has call slots (decisions 13.2).
 * again   A dispatching effect is `not-prepared`; the holder finds its permits by (holder, fence, granted).
 */
import type { CredentialFence, HolderFence, Instant } from '@connector/kernel/brand';
import { instant, int } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import { type CredentialGenerationId, type EffectId, PermitId } from '@connector/kernel/ids';
import { lockRows, readQuery, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conDispatchPermit, conEgressHolder, conRemoteEffect } from '@connector/schema/connector/outbound';
import { audit } from '../../fences/audit';
import type { CredentialGate } from '../../fences/credential-gate';
import type { Gate } from '../../fences/serving-gate';
import type { EffectState } from '../../model/outbound/effect';
import type { Claimable, HeldEffect } from './claim-effects.step';

export interface Holder {
  readonly holderId: string;
  readonly holderFence: HolderFence;
}

/** The answer for one effect. Where nothing was granted nothing was written for it, and it stays as it was (con:PACQ-X). */
export type GrantEffect =
  | {
      readonly kind: 'granted';
      readonly effectId: EffectId;
      readonly permitId: PermitId;
      readonly attemptOrdinal: number;
      readonly credentialGenerationId: CredentialGenerationId;
      readonly credentialFence: CredentialFence;
    }
  | { readonly kind: 'not-prepared'; readonly effectId: EffectId; readonly state: EffectState }
  | { readonly kind: 'not-found'; readonly effectId: EffectId }
  | { readonly kind: 'not-due'; readonly effectId: EffectId }
  | { readonly kind: 'no-slot'; readonly effectId: EffectId }
  | { readonly kind: 'command-mismatch'; readonly effectId: EffectId }
  | { readonly kind: 'other-epoch'; readonly effectId: EffectId }
  | { readonly kind: 'credential-not-locked'; readonly effectId: EffectId }
  | { readonly kind: 'credential-gate-missing'; readonly effectId: EffectId }
  | { readonly kind: 'credential-revoked'; readonly effectId: EffectId };

const HOLDER = lockRows(conEgressHolder, ['fence'], 'WHERE holder_id = :holder_id');
const HELD = readQuery(
  conDispatchPermit,
  { held: int(), now: instant() },
  `SELECT COUNT(*) AS held, NOW(6) AS now FROM ${conDispatchPermit.name}
 WHERE holder_id = :holder_id AND holder_fence = :holder_fence AND state = 'granted'`,
  'held',
);
const DISPATCH = updateRows(
  conRemoteEffect,
  `SET state = 'dispatching', ready_account = NULL, attempt_count = attempt_count + 1, changed_at = NOW(6)
 WHERE effect_id IN (:effect_id) AND state = 'prepared' AND ready_account = :ready_account AND due_at <= :due_at`,
  'dispatch',
);

export interface Room {
  /** Permits that may still be granted to the holder. */
  readonly room: number;
  /** The database's clock in this transaction: what is due is due by it. */
  readonly now: Instant;
}

/**
 * The holder's row, locked, and how much room `slots` leaves. Permits are granted under this row alone, so the count can only fall
 * while it is held. Undefined where the name is registered under another fence, or not at all.
 */
export async function lockHolderRoom(tx: FencedTx, holder: Holder, slots: number): Promise<Room | undefined> {
  const row = await tx.lock(HOLDER, { holder_id: holder.holderId });
  if (row === undefined || row.fence !== holder.holderFence) return undefined;
  const [seen] = await tx.read(HELD, { holder_id: holder.holderId, holder_fence: holder.holderFence });
  invariant(seen !== undefined, 'HOUSE:connector:CountMissing', 'a count answers one row');
  return { room: Math.max(0, slots - seen.held), now: seen.now };
}

/** The credential gates that this door locked, by generation; undefined where the row is missing. */
export type LockedCredentials = ReadonlyMap<CredentialGenerationId, CredentialGate | undefined>;

/** An effect for which nothing stands in the way but room, with the credential gate that was found enabled for it. */
export interface Grantable {
  readonly kind: 'grantable';
  readonly effectId: EffectId;
  readonly effect: Claimable;
  readonly credential: CredentialGate;
}

/** Which clause is false for this effect; `grantable` where none is. */
export function judgeEffect(effect: HeldEffect, gate: Gate, now: Instant, credentials: LockedCredentials): GrantEffect | Grantable {
  const { effectId, state, frozen } = effect;
  if (state !== 'prepared') return { kind: 'not-prepared', effectId, state };
  // Instants have one form, so their text compares as their time does.
  if (effect.dueAt > now) return { kind: 'not-due', effectId };
  if (frozen === undefined) return { kind: 'command-mismatch', effectId };
  if (frozen.epoch_id !== gate.epochId || frozen.epoch_digest !== gate.epochDigest) return { kind: 'other-epoch', effectId };
  if (!credentials.has(frozen.credential_generation_id)) return { kind: 'credential-not-locked', effectId };
  const credential = credentials.get(frozen.credential_generation_id);
  if (credential === undefined) return { kind: 'credential-gate-missing', effectId };
  if (credential.mode !== 'enabled') return { kind: 'credential-revoked', effectId };
  return { kind: 'grantable', effectId, effect: { ...effect, frozen }, credential };
}

/** Grants a permit for the attempt that was just claimed, and moves the effects (con:PACQ-W). Answers in the order of `grants`. */
export async function acquirePermits(
  tx: FencedTx,
  gate: Gate,
  holder: Holder,
  grants: readonly Grantable[],
  now: Instant,
): Promise<readonly GrantEffect[]> {
  if (grants.length === 0) return [];
  const permits = grants.map((grant) => permitRow(gate, holder, grant));
  await tx.insert(conDispatchPermit, permits);
  const ids = permits.map((permit) => permit.effect_id);
  const landed = await tx.update(DISPATCH, { effect_id: ids, ready_account: gate.account, due_at: now });
  invariant(landed === ids.length, 'HOUSE:connector:CasUnexplained', `acquire-permits landed ${landed} of ${ids.length}`);
  await audit(
    tx,
    gate.account,
    permits.map((permit) => ({ permit: permit.permit_id, effect: permit.effect_id, from: 'prepared', to: 'dispatching' })),
  );
  return permits.map((permit) => ({
    kind: 'granted',
    effectId: permit.effect_id,
    permitId: permit.permit_id,
    attemptOrdinal: permit.attempt_ordinal,
    credentialGenerationId: permit.credential_generation_id,
    credentialFence: permit.credential_fence,
  }));
}

function permitRow(gate: Gate, holder: Holder, { effect, credential }: Grantable) {
  return {
    permit_id: PermitId.mint(gate.accountPrefix),
    effect_id: effect.effectId,
    attempt_ordinal: effect.attemptCount + 1,
    account: gate.account,
    open_account: gate.account,
    epoch_id: effect.frozen.epoch_id,
    gate_fence: gate.fence,
    credential_generation_id: credential.generationId,
    credential_fence: credential.fence,
    request_digest: effect.frozen.request_digest,
    holder_id: holder.holderId,
    holder_fence: holder.holderFence,
    state: 'granted',
    send_token: null,
    io_may_have_started: false,
    sending_at: null,
    closed_at: null,
  };
}
