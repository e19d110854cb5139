/**
 * ABN abandon-permits: permits of a dead holder granted → abandoned, sending → abandoned; of a moved credential fence granted → abandoned
 *
 * why     Nothing is released by time (con:PRMT-05): a permit closes without its holder only when that process is proved to have ended
 *         and to reach no provider, or when it was not sent and its credential fence has moved: fences only rise and SEND asks for the
 *         permit's own under the same gate, so no holder, dead or alive, can send it any more (con:REV-O). What was not sent may be tried
 *         again, what may have been sent is uncertain.
 * paths   abandon-permits
 * fence   permit open, in every mode of the gate; a termination and an isolation receipt for exactly the process generation that held
 *         the permit's holder fence, where a receipt for a later generation of the same name proves nothing; or `granted` under a
 *         credential fence below the one of the locked credential gate.
 * again   Same operation id: the answer that it stored. An abandoned permit answers `abandoned` to anybody.
 */
import type { AccountName, CredentialFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { CredentialGenerationId, EffectId, GenerationId, OperationId, PermitId } from '@connector/kernel/ids';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conDispatchPermit, conEffectEvidence, conEgressHolderGeneration } from '@connector/schema/connector/outbound';
import { raiseWork } from '../../fences/account-work';
import { audit } from '../../fences/audit';
import { lockCredentialFences } from '../../fences/credential-gate';
import { lockHolderEnds, type ProvedEnd } from '../../fences/holder-end';
import { claimItems, recallItems } from '../../fences/operation';
import { lockGate, type Gate } from '../../fences/serving-gate';
import { evidenceDigest, NO_RECEIPTS, type AbandonmentProof, type CallEvidence } from '../../model/outbound/evidence';
import { permitMachine } from '../../model/outbound/permit';
import { connectorDoors } from '../../model/paths';
import { dispatchingEffect, leaveUncertain, lockEffectsOf, mustLand, prepareAtOnce, type LockedEffect } from './effect-moves';

/** The stored answer of one operation has to fit its column. */
export const ABANDON_MAX = 50;

/** A permit with what never changes about it. */
export interface AbandonItem {
  readonly permitId: PermitId;
  readonly effectId: EffectId;
  readonly credentialGenerationId: CredentialGenerationId;
}

export interface AbandonBatch {
  readonly operationId: OperationId;
  readonly account: AccountName;
  readonly requestedBy: string;
  /** 1..50, each once. */
  readonly permits: readonly AbandonItem[];
}

export type AbandonPermit =
  | { readonly kind: 'abandoned'; readonly effect: 'prepared' | 'uncertain' }
  | { readonly kind: 'termination-missing'; readonly generationId: GenerationId }
  | { readonly kind: 'isolation-missing'; readonly generationId: GenerationId }
  | { readonly kind: 'holder-unknown' }
  | { readonly kind: 'already-returned' }
  | { readonly kind: 'not-found' };

const SEEN = lockRows(
  conDispatchPermit,
  [
    'permit_id',
    'effect_id',
    'attempt_ordinal',
    'account',
    'credential_generation_id',
    'credential_fence',
    'state',
    'io_may_have_started',
    'holder_id',
    'holder_fence',
  ],
  'WHERE permit_id IN (:permit_id)',
);
const GENERATIONS = readRows(
  conEgressHolderGeneration,
  ['holder_id', 'fence', 'generation_id'],
  'WHERE holder_id IN (:holder_id) AND fence IN (:fence)',
);
const ABANDON = updateRows(
  conDispatchPermit,
  `SET state = 'abandoned', open_account = NULL, closed_at = NOW(6)
 WHERE permit_id IN (:permit_id) AND state IN ('granted', 'sending') AND open_account = :open_account`,
  'abandon',
);

/** Answers per permit, in order. Where a receipt is missing nothing is written for the permit, and it stays open (con:ABN-X). */
export function abandonPermits(db: Db, batch: AbandonBatch): Promise<readonly AbandonPermit[]> {
  invariant(batch.permits.length <= ABANDON_MAX, 'HOUSE:connector:AbandonLimit', `at most ${ABANDON_MAX} permits an operation`);
  return db.fenced(connectorDoors['abandon-permits'], async (tx) => {
    const gate = await lockGate(tx, batch.account);
    if (gate === undefined) return batch.permits.map(() => ({ kind: 'not-found' }));
    const held = await lockHeld(tx, batch);
    const ids = batch.permits.map(({ permitId }) => permitId);
    const before = await recallItems<AbandonPermit>(tx, batch.operationId, ids);
    if (before !== undefined) return before;
    const judged = batch.permits.map((item) => judge(batch.account, item, held.permits.get(item.permitId), held));
    const moves = judged.filter((verdict) => verdict.kind === 'abandon');
    const answers = judged.map(answerOf);
    if (moves.length === 0) return answers;
    const faster = await claimItems(tx, batch.operationId, ids, answers);
    if (faster !== undefined) return faster;
    await land(tx, gate, batch, moves);
    return answers;
  });
}

type SeenPermit = ReturnType<typeof SEEN.decode>;
interface Held {
  readonly fences: Fences;
  readonly effects: ReadonlyMap<EffectId, LockedEffect>;
  readonly permits: ReadonlyMap<PermitId, SeenPermit>;
  /** Which process generation had the holder fence that a permit was granted to. */
  readonly generationOf: (permit: SeenPermit) => GenerationId | undefined;
  readonly ends: ReadonlyMap<GenerationId, ProvedEnd>;
}

async function lockHeld(tx: FencedTx, batch: AbandonBatch): Promise<Held> {
  const fences = await lockCredentialFences(
    tx,
    batch.permits.map(({ credentialGenerationId }) => credentialGenerationId),
  );
  const effects = await lockEffectsOf(
    tx,
    batch.permits.map(({ effectId }) => effectId),
  );
  const permits = await tx.lockMany(SEEN, { permit_id: batch.permits.map(({ permitId }) => permitId) });
  // Receipts are asked only of the others: what can never be sent is closed whatever became of its holder.
  const others = permits.filter((permit) => !isUnsendable(permit, fences));
  const registered = others.length === 0 ? [] : await tx.read(GENERATIONS, holdersOf(others));
  const generationOf = (permit: SeenPermit): GenerationId | undefined =>
    registered.find((row) => row.holder_id === permit.holder_id && row.fence === permit.holder_fence)?.generation_id;
  const generations = others.map(generationOf).filter((generation) => generation !== undefined);
  const ends = generations.length === 0 ? new Map<GenerationId, ProvedEnd>() : await lockHolderEnds(tx, generations);
  return { fences, effects, permits: new Map(permits.map((row) => [row.permit_id, row])), generationOf, ends };
}

type Fences = ReadonlyMap<CredentialGenerationId, CredentialFence>;

/** Granted under a credential fence that has moved: SEND refuses it for ever, whoever asks. */
function isUnsendable(permit: SeenPermit, fences: Fences): boolean {
  const now = fences.get(permit.credential_generation_id);
  return permit.state === 'granted' && now !== undefined && now > permit.credential_fence;
}

const holdersOf = (permits: readonly SeenPermit[]) => ({
  holder_id: permits.map((permit) => permit.holder_id),
  fence: permits.map((permit) => permit.holder_fence),
});

/** A permit that may be abandoned, with what allows it and what that proves of its call. */
interface Abandon {
  readonly kind: 'abandon';
  readonly permit: SeenPermit;
  readonly proof: AbandonmentProof;
  readonly evidence: CallEvidence;
}

/** Which clause is false for this permit, by its locked row, the locked receipts and the locked fences; `abandon` where none is. */
function judge(account: AccountName, item: AbandonItem, permit: SeenPermit | undefined, held: Held): AbandonPermit | Abandon {
  if (permit === undefined || permit.account !== account || !isOf(permit, item)) return { kind: 'not-found' };
  const state = permitMachine.parse(permit.state);
  if (state === 'returned') return { kind: 'already-returned' };
  if (state === 'abandoned') return { kind: 'abandoned', effect: permit.io_may_have_started ? 'uncertain' : 'prepared' };
  const proof = proofOf(permit, held);
  if ('kind' in proof) return proof;
  dispatchingEffect(held.effects.get(item.effectId), permit.attempt_ordinal);
  const ended = state === 'sending' ? 'the holder ended while sending' : 'the holder ended before sending';
  const detail = proof === NO_RECEIPTS ? `credential fence ${permit.credential_fence} moved before sending` : ended;
  return { kind: 'abandon', permit, proof, evidence: evidenceOf(state === 'sending', detail) };
}

const isOf = (permit: SeenPermit, { effectId, credentialGenerationId }: AbandonItem): boolean =>
  permit.effect_id === effectId && permit.credential_generation_id === credentialGenerationId;

/** A credential fence that moved, or both receipts of the process that holds it. */
function proofOf(permit: SeenPermit, held: Held): AbandonmentProof | AbandonPermit {
  if (isUnsendable(permit, held.fences)) return NO_RECEIPTS;
  const generationId = held.generationOf(permit);
  if (generationId === undefined) return { kind: 'holder-unknown' };
  const end = held.ends.get(generationId);
  if (end?.terminationId === undefined) return { kind: 'termination-missing', generationId };
  if (end.isolationId === undefined) return { kind: 'isolation-missing', generationId };
  return { terminationId: end.terminationId, isolationId: end.isolationId };
}

/** A permit that was never sending proves that no byte left (con:PRMT-02); one that was proves nothing (con:PRMT-04). */
function evidenceOf(ioStarted: boolean, detail: string): CallEvidence {
  const nothing = { status: null, remoteIdentity: null, answer: null };
  return { ...nothing, outcome: ioStarted ? 'uncertain' : 'no_effect', ioStarted, againAfterMs: ioStarted ? null : 0, detail };
}

function answerOf(verdict: AbandonPermit | Abandon): AbandonPermit {
  return verdict.kind === 'abandon' ? { kind: 'abandoned', effect: verdict.evidence.ioStarted ? 'uncertain' : 'prepared' } : verdict;
}

async function land(tx: FencedTx, gate: Gate, batch: AbandonBatch, moves: readonly Abandon[]): Promise<void> {
  await tx.insert(conEffectEvidence, moves.map(evidenceRow));
  const ids = moves.map(({ permit }) => permit.permit_id);
  mustLand(await tx.update(ABANDON, { permit_id: ids, open_account: gate.account }), ids);
  const effects = (ioStarted: boolean): readonly EffectId[] =>
    moves.filter(({ evidence }) => evidence.ioStarted === ioStarted).map(({ permit }) => permit.effect_id);
  await leaveUncertain(tx, effects(true));
  await prepareAtOnce(tx, effects(false));
  await audit(
    tx,
    gate.account,
    moves.map((move) => auditItem(move, batch.requestedBy)),
  );
  if (effects(false).length > 0) await raiseWork(tx, 'effect', [gate.account]);
  if (gate.mode === 'halting_v2') await raiseWork(tx, 'halt', [gate.account]);
}

function evidenceRow({ permit, proof, evidence }: Abandon) {
  return {
    permit_id: permit.permit_id,
    effect_id: permit.effect_id,
    attempt_ordinal: permit.attempt_ordinal,
    source: 'abandonment',
    outcome: evidence.outcome,
    io_started: evidence.ioStarted,
    status: null,
    remote_identity: null,
    detail: evidence.detail,
    answer: null,
    evidence_digest: evidenceDigest(evidence, proof),
    // Due at once: nobody asked the provider anything.
    retry_ms: evidence.againAfterMs,
    termination_id: proof.terminationId,
    isolation_id: proof.isolationId,
  };
}

function auditItem({ permit, proof }: Abandon, requestedBy: string) {
  return {
    permit: permit.permit_id,
    from: permit.state,
    to: 'abandoned',
    effect: permit.effect_id,
    termination: proof.terminationId,
    isolation: proof.isolationId,
    by: requestedBy,
  };
}
