/**
 * SETL settle-permits: permits sending → returned, their effects by the evidence
 *
 * why     The adapter is the only witness of its call; what it saw, or that it does not know, closes the permit and moves the effect.
 * paths   settle-permits
 * fence   permit `sending` under this holder, holder fence and send token. Legal in every mode of the gate (con:SETL-P): the gate is
 *         locked for the set of open permits, and to tell whoever halts it that one less is open.
 * again   Equal evidence for a returned permit is `settled` as it was; other evidence is `already-settled-otherwise`.
 */
import type { AccountName, HolderFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { EffectId, PermitId, SendToken } from '@connector/kernel/ids';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conDispatchPermit, conEffectEvidence, conRemoteEffect } from '@connector/schema/connector/outbound';
import { raiseWork } from '../../fences/account-work';
import { audit } from '../../fences/audit';
import { lockGate, type Gate } from '../../fences/serving-gate';
import { nextAttemptMs, spreadOf, type RetryPolicy } from '../../model/outbound/backoff';
import type { NoEffectReason } from '../../model/outbound/effect';
import { contradiction, evidenceDigest, parseOutcome, type CallEvidence, type EvidenceOutcome } from '../../model/outbound/evidence';
import { permitMachine, type PermitState } from '../../model/outbound/permit';
import { connectorDoors } from '../../model/paths';
import { dispatchingEffect, leaveUncertain, lockEffectsOf, mustLand, prepareAgain, type LockedEffect } from './effect-moves';

/** One call that is over. */
export interface Settlement {
  readonly permitId: PermitId;
  readonly effectId: EffectId;
  readonly sendToken: SendToken;
  readonly evidence: CallEvidence;
  /** As frozen for the effect; decides only what follows a proven no-effect. */
  readonly policy: RetryPolicy;
}

/** Calls of one holder for one account, each permit once. */
export interface SettleBatch {
  readonly account: AccountName;
  readonly holderId: string;
  readonly holderFence: HolderFence;
  readonly settlements: readonly Settlement[];
}

export type SettledEffect = 'remote_confirmed' | 'uncertain' | 'no_effect' | 'prepared';
export type SettlePermit =
  | { readonly kind: 'settled'; readonly effect: SettledEffect }
  /** Two witnesses of one call disagree: whoever gets this says so loudly and keeps its evidence. */
  | { readonly kind: 'already-settled-otherwise' }
  | { readonly kind: 'not-sending'; readonly state: PermitState }
  | { readonly kind: 'token-differs' }
  | { readonly kind: 'holder-fenced-off' }
  | { readonly kind: 'not-found' };

const SEEN = lockRows(
  conDispatchPermit,
  ['permit_id', 'effect_id', 'attempt_ordinal', 'account', 'state', 'holder_id', 'holder_fence', 'send_token'],
  'WHERE permit_id IN (:permit_id)',
);
const KNOWN = readRows(conEffectEvidence, ['permit_id', 'outcome', 'retry_ms', 'evidence_digest'], 'WHERE permit_id IN (:permit_id)');
const RETURN = updateRows(
  conDispatchPermit,
  `SET state = 'returned', open_account = NULL, closed_at = NOW(6)
 WHERE permit_id IN (:permit_id) AND state = 'sending' AND holder_id = :holder_id AND holder_fence = :holder_fence
   AND send_token IN (:send_token)`,
  'return',
);
const CONFIRM = updateRows(
  conRemoteEffect,
  `SET state = 'remote_confirmed', finalize_account = account, changed_at = NOW(6)
 WHERE effect_id IN (:effect_id) AND state = 'dispatching'`,
  'confirm',
);
const REFUSE = updateRows(
  conRemoteEffect,
  "SET state = 'no_effect', reason = :reason, changed_at = NOW(6) WHERE effect_id IN (:effect_id) AND state = 'dispatching'",
  'refuse',
);

/** Answers per settlement, in order. */
export function settlePermits(db: Db, batch: SettleBatch): Promise<readonly SettlePermit[]> {
  batch.settlements.forEach(({ evidence }) => mustBeWhole(evidence));
  return db.fenced(connectorDoors['settle-permits'], async (tx) => {
    const gate = await lockGate(tx, batch.account);
    if (gate === undefined) return batch.settlements.map(() => ({ kind: 'not-found' }));
    const held = await lockHeld(tx, batch);
    const judged = batch.settlements.map((settlement) => judge(settlement, batch, held));
    const moves = judged.filter((verdict) => verdict.kind === 'settle');
    if (moves.length > 0) await land(tx, gate, batch, moves);
    return judged.map((verdict) => (verdict.kind === 'settle' ? { kind: 'settled', effect: verdict.effect } : verdict));
  });
}

function mustBeWhole(evidence: CallEvidence): void {
  const wrong = contradiction(evidence);
  invariant(wrong === undefined, 'HOUSE:connector:EvidenceContradicts', wrong ?? '');
}

type SeenPermit = ReturnType<typeof SEEN.decode>;
type KnownEvidence = ReturnType<typeof KNOWN.decode>;
interface Held {
  readonly effects: ReadonlyMap<EffectId, LockedEffect>;
  readonly permits: ReadonlyMap<PermitId, SeenPermit>;
  readonly evidence: ReadonlyMap<PermitId, KnownEvidence>;
}

async function lockHeld(tx: FencedTx, { settlements }: SettleBatch): Promise<Held> {
  const effects = await lockEffectsOf(
    tx,
    settlements.map(({ effectId }) => effectId),
  );
  const permits = await tx.lockMany(SEEN, { permit_id: settlements.map(({ permitId }) => permitId) });
  const returned = permits.filter(({ state }) => state === 'returned').map(({ permit_id }) => permit_id);
  const evidence = returned.length === 0 ? [] : await tx.read(KNOWN, { permit_id: returned });
  return {
    effects,
    permits: new Map(permits.map((row) => [row.permit_id, row])),
    evidence: new Map(evidence.map((row) => [row.permit_id, row])),
  };
}

/** A settlement that may land, with what it makes of the effect. */
interface Settle {
  readonly kind: 'settle';
  readonly settlement: Settlement;
  readonly attemptOrdinal: number;
  readonly digest: Digest;
  readonly effect: SettledEffect;
  readonly retryMs: number | null;
}

/** Which clause is false for this permit, by its locked row; `settle` where none is. */
function judge(settlement: Settlement, batch: SettleBatch, held: Held): SettlePermit | Settle {
  const row = held.permits.get(settlement.permitId);
  if (row === undefined || row.account !== batch.account || row.effect_id !== settlement.effectId) return { kind: 'not-found' };
  if (row.holder_id !== batch.holderId || row.holder_fence !== batch.holderFence) return { kind: 'holder-fenced-off' };
  const state = permitMachine.parse(row.state);
  if (state === 'granted' || state === 'abandoned') return { kind: 'not-sending', state };
  if (row.send_token !== settlement.sendToken) return { kind: 'token-differs' };
  const digest = evidenceDigest(settlement.evidence, null);
  if (state === 'returned') return settledBefore(held.evidence.get(settlement.permitId), digest);
  const { attempt_count } = dispatchingEffect(held.effects.get(settlement.effectId), row.attempt_ordinal);
  const retryMs = retryAfter(settlement, attempt_count);
  return {
    kind: 'settle',
    settlement,
    attemptOrdinal: row.attempt_ordinal,
    digest,
    retryMs,
    effect: effectAfter(settlement.evidence.outcome, retryMs),
  };
}

function settledBefore(known: KnownEvidence | undefined, digest: Digest): SettlePermit {
  invariant(known !== undefined, 'HOUSE:connector:EvidenceMissing', 'a returned permit has no evidence');
  if (known.evidence_digest !== digest) return { kind: 'already-settled-otherwise' };
  return { kind: 'settled', effect: effectAfter(parseOutcome(known.outcome), known.retry_ms) };
}

/** Only a no-effect whose proof licenses it is tried again, and only while the frozen policy allows it (con:CRASH-22, con:CRASH-23). */
function retryAfter({ permitId, evidence, policy }: Settlement, attempts: number): number | null {
  const { againAfterMs } = evidence;
  return againAfterMs === null ? null : nextAttemptMs(policy, attempts, againAfterMs, spreadOf(permitId));
}

function effectAfter(outcome: EvidenceOutcome, retryMs: number | null): SettledEffect {
  return outcome === 'no_effect' && retryMs !== null ? 'prepared' : outcome;
}

async function land(tx: FencedTx, gate: Gate, batch: SettleBatch, moves: readonly Settle[]): Promise<void> {
  await tx.insert(conEffectEvidence, moves.map(evidenceRow));
  await returnPermits(tx, batch, moves);
  const became = (effect: SettledEffect): readonly EffectId[] => effectsOf(moves.filter((move) => move.effect === effect));
  const confirmed = became('remote_confirmed');
  if (confirmed.length > 0) mustLand(await tx.update(CONFIRM, { effect_id: confirmed }), confirmed);
  await comeToRest(tx, moves);
  await leaveUncertain(tx, became('uncertain'));
  await prepareAgain(tx, became('prepared'));
  await audit(tx, gate.account, moves.map(auditItem));
  if (became('prepared').length > 0) await raiseWork(tx, 'effect', [gate.account]);
  if (confirmed.length > 0) await raiseWork(tx, 'finalize', [gate.account]);
  if (gate.mode === 'halting_v2') await raiseWork(tx, 'halt', [gate.account]);
}

const effectsOf = (moves: readonly Settle[]): readonly EffectId[] => moves.map(({ settlement }) => settlement.effectId);

/** dispatching → no_effect, with why: one statement a reason (con:REFF-05). */
async function comeToRest(tx: FencedTx, moves: readonly Settle[]): Promise<void> {
  for (const reason of ['PROVIDER_REFUSED', 'ATTEMPTS_EXHAUSTED'] as const) {
    const resting = effectsOf(moves.filter((move) => move.effect === 'no_effect' && reasonOf(move) === reason));
    if (resting.length > 0) mustLand(await tx.update(REFUSE, { effect_id: resting, reason }), resting);
  }
}

function reasonOf({ settlement: { evidence } }: Settle): NoEffectReason {
  return evidence.againAfterMs === null ? 'PROVIDER_REFUSED' : 'ATTEMPTS_EXHAUSTED';
}

async function returnPermits(tx: FencedTx, batch: SettleBatch, moves: readonly Settle[]): Promise<void> {
  const landed = await tx.update(RETURN, {
    permit_id: moves.map(({ settlement }) => settlement.permitId),
    send_token: moves.map(({ settlement }) => settlement.sendToken),
    holder_id: batch.holderId,
    holder_fence: batch.holderFence,
  });
  mustLand(landed, moves);
}

function evidenceRow({ settlement, attemptOrdinal, digest, retryMs }: Settle) {
  const { permitId, effectId, evidence } = settlement;
  return {
    permit_id: permitId,
    effect_id: effectId,
    attempt_ordinal: attemptOrdinal,
    source: 'settlement',
    outcome: evidence.outcome,
    io_started: evidence.ioStarted,
    status: evidence.status,
    remote_identity: evidence.remoteIdentity,
    detail: evidence.detail,
    answer: evidence.answer,
    evidence_digest: digest,
    retry_ms: retryMs,
    termination_id: null,
    isolation_id: null,
  };
}

function auditItem({ settlement, effect }: Settle) {
  return { permit: settlement.permitId, from: 'sending', to: 'returned', effect: settlement.effectId, became: effect };
}
