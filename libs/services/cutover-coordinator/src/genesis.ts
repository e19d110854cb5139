import { isDeepStrictEqual } from 'node:util';
import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { inTextOrder } from '@connector/kernel/document-order';
import { invariant } from '@connector/kernel/faults';
import type { AttemptId, CertificateId, EpochId, OperationId } from '@connector/kernel/ids';
import type { Owners } from '@connector/connector/contract/owners';
import type { EpochState } from '@connector/connector/model/serving/epoch';
import { certifiedAccounts } from '@connector/connector/reads/serving/certified-accounts';
import { readEpochContent, readEpochHeader, type EpochHeader } from '@connector/connector/reads/serving/epoch';
import { isCertified, readBackGenesis } from '@connector/connector/reads/serving/genesis';
import { beginService, rejectDrifted, type ServiceBegun } from '@connector/connector/transitions/serving/begin-service';
import { declarePredecessor } from '@connector/connector/transitions/serving/declare-predecessor.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { BarrierHold } from './barrier-hold';
import { rereadPinned, type OwnerUnavailable } from './epochs';

/** Every id is minted and kept by whoever asks, so that the same request resumes the same attempt after any crash. */
export interface GenesisRequest {
  readonly epochId: EpochId;
  readonly operationId: OperationId;
  readonly certificateId: CertificateId;
  readonly attemptId: AttemptId;
  readonly requestedBy: string;
  readonly reason: string;
  /** What whoever asks confirms; left out, the frozen configuration's accounts are taken unseen. */
  readonly accounts?: readonly AccountName[];
}

export type GenesisBegun = {
  readonly kind: 'begun';
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly certificateId: CertificateId;
  readonly accounts: readonly AccountName[];
};
type Refused =
  | { readonly kind: 'epoch-not-verified'; readonly state: EpochState }
  | { readonly kind: 'epoch-drifted'; readonly reason: string }
  | { readonly kind: 'account-set-mismatch'; readonly accounts: readonly AccountName[] }
  | { readonly kind: 'conflicting-declaration'; readonly predecessor: string };
export type Genesis = GenesisBegun | Exclude<ServiceBegun, { kind: 'begun' | 'not-verified' }> | Refused | OwnerUnavailable;

export interface GenesisParts {
  readonly main: Db;
  readonly journal: Db;
  readonly owners: Owners;
  /** A session that was opened for this alone, closed by whoever asked for it. */
  readonly fresh: () => Promise<Db>;
}

/**
 * Begins a service that has no predecessor (decisions 10). The journal names one attempt and one epoch for ever, so everything that can be
 * known to fail is looked at before the first word is written there.
 */
export async function beginGenesis(parts: GenesisParts, request: GenesisRequest): Promise<Genesis> {
  const header = await readEpochHeader(parts.main, request.epochId);
  if (header === undefined) return { kind: 'epoch-absent' };
  const confirmed = await confirmAccounts(parts, request, header);
  if (confirmed.kind !== 'confirmed') return confirmed;
  const { accounts } = confirmed;
  const declaration = { predecessor: 'no_predecessor', by: request.requestedBy } as const;
  const declared = await retrying(ANSWER_SOON, () => declarePredecessor(parts.journal, declaration));
  if (declared.kind === 'conflicting-declaration') return declared;
  return begin(parts, request, { epochDigest: header.epochDigest, accounts });
}

type Confirmed = { readonly kind: 'confirmed'; readonly accounts: readonly AccountName[] };

/** What landed has its accounts in its certificate; before that the owners must still say what the epoch says. */
async function confirmAccounts(
  { main, owners }: GenesisParts,
  request: GenesisRequest,
  header: EpochHeader,
): Promise<Confirmed | Refused | OwnerUnavailable> {
  const landed = await certifiedAccounts(main, request.operationId);
  if (landed !== undefined) return sameAccounts(landed, request.accounts);
  if (header.state !== 'verified') return { kind: 'epoch-not-verified', state: header.state };
  const stored = await readEpochContent(main, request.epochId, header.epochDigest);
  invariant(stored !== undefined, 'HOUSE:coordinator:EpochWithoutContent', request.epochId);
  const verdict = await rereadPinned(owners, stored);
  if (verdict.kind === 'unavailable') return verdict;
  if (verdict.kind === 'rejected') {
    const { epochId, requestedBy } = request;
    await rejectDrifted(main, { epochId, epochDigest: header.epochDigest, requestedBy, reason: verdict.reason });
    return { kind: 'epoch-drifted', reason: verdict.reason };
  }
  return sameAccounts(verdict.accounts, request.accounts);
}

function sameAccounts(frozen: readonly AccountName[], asked: readonly AccountName[] | undefined): Confirmed | Refused {
  const same = asked === undefined || isDeepStrictEqual(inTextOrder(frozen), inTextOrder(asked));
  return same ? { kind: 'confirmed', accounts: frozen } : { kind: 'account-set-mismatch', accounts: frozen };
}

interface Known {
  readonly epochDigest: Digest;
  readonly accounts: readonly AccountName[];
}

/**
 * Whatever became of it, the attempt holds nothing any more: what has begun is read back by then, what has not is held anew by whoever asks again.
 * An owner that says nothing may still hold its authors off, so the same request has to be sent again, also where the service has begun.
 */
async function begin(parts: GenesisParts, request: GenesisRequest, known: Known): Promise<Genesis> {
  const barriers = new BarrierHold(parts.main, parts.owners, request.attemptId);
  const answer = await beginHeld(parts, barriers, request, known);
  const released = await barriers.release(answer.kind);
  return released.kind === 'unavailable' ? released : answer;
}

async function beginHeld(
  { main, journal, owners, fresh }: GenesisParts,
  barriers: BarrierHold,
  request: GenesisRequest,
  known: Known,
): Promise<Genesis> {
  const input = { ...request, ...known };
  const begun = await beginService(
    {
      main,
      journal,
      stored: () => readEpochContent(main, input.epochId, input.epochDigest),
      certified: () => isCertified(main, input.operationId),
      hold: (stored) => barriers.hold(stored),
      reread: (stored) => rereadPinned(owners, stored),
      readBack: () => onFresh(fresh, (db) => readBackGenesis(db, input)),
    },
    input,
  );
  if (begun.kind === 'begun') {
    const { epochId, certificateId } = request;
    return { kind: 'begun', epochId, certificateId, ...known };
  }
  if (begun.kind !== 'not-verified') return begun;
  const { verdict } = begun;
  if (verdict.kind === 'unavailable') return verdict;
  invariant(verdict.kind === 'rejected', 'HOUSE:coordinator:VerdictLost', 'a verified epoch was not begun');
  return { kind: 'epoch-drifted', reason: verdict.reason };
}

async function onFresh<T>(fresh: () => Promise<Db>, use: (db: Db) => Promise<T>): Promise<T> {
  const db = await fresh();
  try {
    return await use(db);
  } finally {
    await db.close();
  }
}
