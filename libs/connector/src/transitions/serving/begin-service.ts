import type { AccountName } from '@connector/kernel/brand';
import { OperationId, type CertificateId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { HeldBarriers } from '../../model/serving/barriers';
import type { GenesisAttempt, GenesisReadback } from '../../model/serving/genesis';
import type { OwnerName } from '../../model/serving/owner-answers';
import type { EpochVerdict, StoredEpoch } from '../../model/serving/verification';
import { activateGenesis, type ActivatedGenesis } from './activate-genesis.tx';
import { commitGenesis, type CommitGenesis } from './commit-genesis.tx';
import { intendGenesis, type IntendGenesis } from './intend-genesis.tx';
import { rejectVerified, type RejectVerified } from './reject-verified.tx';

/** Made once and stored by whoever asks, before the first try: a resumed run is given exactly the same. */
export interface BeginService extends GenesisAttempt {
  readonly operationId: OperationId;
  readonly certificateId: CertificateId;
  readonly accounts: readonly AccountName[];
  readonly requestedBy: string;
  readonly reason: string;
}

export interface BeginServiceParts {
  readonly main: Db;
  readonly journal: Db;
  /** The stored candidate; undefined where there is none. */
  readonly stored: () => Promise<StoredEpoch | undefined>;
  /** Whether the certificate of this service is there and is of this operation. */
  readonly certified: () => Promise<boolean>;
  /** The owners' authors held off for this attempt, in the hand of this run (cat:INT-18); said before the owners are asked afresh. */
  readonly hold: (stored: StoredEpoch) => Promise<Hold>;
  /** Every owner asked afresh, compared with the candidate. */
  readonly reread: (stored: StoredEpoch) => Promise<EpochVerdict>;
  /** On a connection that was opened after the activation committed (con:OPEN-44). */
  readonly readBack: () => Promise<GenesisReadback>;
}

export type Hold =
  | { readonly kind: 'held'; readonly barriers: HeldBarriers }
  /** What this owner says; then nothing is activated (cat:INT-19). */
  | { readonly kind: 'not-held'; readonly owner: 'catalog' | 'packs'; readonly code: string }
  | { readonly kind: 'unavailable'; readonly owner: OwnerName };

export type ServiceBegun =
  | { readonly kind: 'begun' }
  | Extract<Hold, { readonly kind: 'not-held' }>
  | { readonly kind: 'not-intended'; readonly answer: IntendGenesis }
  | { readonly kind: 'epoch-absent' }
  | { readonly kind: 'not-verified'; readonly verdict: EpochVerdict }
  | { readonly kind: 'not-activated'; readonly answer: ActivatedGenesis }
  | { readonly kind: 'not-committed'; readonly answer: CommitGenesis }
  | { readonly kind: 'readback-differs'; readonly readback: GenesisReadback };

/**
 * Journal intent, owners held and reread, ACT0, journal commit, readback. It may die at any point and be run again with the same input: the intent
 * is this attempt's, a landed activation is found by its operation, and nothing serves before the last answer is `begun`.
 */
export async function beginService(parts: BeginServiceParts, input: BeginService): Promise<ServiceBegun> {
  const intent = await retrying(ANSWER_SOON, () => intendGenesis(parts.journal, input));
  if (intent.kind !== 'intended' && intent.kind !== 'already-intended' && intent.kind !== 'already-committed') {
    return { kind: 'not-intended', answer: intent };
  }
  // What landed stands even when an owner has moved since: only what has not landed needs the owners' word.
  if (intent.kind !== 'already-committed' && !(await parts.certified())) {
    const refused = await activate(parts, input);
    if (refused !== undefined) return refused;
  }
  const committed = await retrying(ANSWER_SOON, () => commitGenesis(parts.journal, input));
  if (committed.kind !== 'committed' && committed.kind !== 'already-committed') return { kind: 'not-committed', answer: committed };
  const readback = await parts.readBack();
  return readback.kind === 'as-activated' ? { kind: 'begun' } : { kind: 'readback-differs', readback };
}

async function activate(parts: BeginServiceParts, input: BeginService): Promise<ServiceBegun | undefined> {
  const stored = await parts.stored();
  if (stored === undefined || stored.epochDigest !== input.epochDigest) return { kind: 'epoch-absent' };
  const held = await parts.hold(stored);
  if (held.kind === 'unavailable') return { kind: 'not-verified', verdict: held };
  if (held.kind === 'not-held') return held;
  const { barriers } = held;
  const verdict = await parts.reread(stored);
  if (verdict.kind === 'rejected') await rejectDrifted(parts.main, { ...input, reason: verdict.reason });
  if (verdict.kind !== 'verified') return { kind: 'not-verified', verdict };
  const configuration = { digest: stored.parts.configuration.generationDigest, accounts: verdict.accounts };
  const answer = await retrying(ANSWER_SOON, () =>
    activateGenesis(parts.main, { ...input, barriers, configuration, capacity: 'unqualified' }),
  );
  return answer.kind === 'activated' ? undefined : { kind: 'not-activated', answer };
}

/**
 * con:EPOCH-05. The rejection is an operation of its own: the one of the activation belongs to activate-genesis. Run again after a crash it
 * finds the epoch rejected already, which changes nothing of the answer.
 */
export async function rejectDrifted(main: Db, drifted: Omit<RejectVerified, 'operationId'>): Promise<void> {
  const rejection = { ...drifted, operationId: OperationId.mint() };
  await retrying(ANSWER_SOON, () => rejectVerified(main, rejection));
}
