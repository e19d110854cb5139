import { DIGEST_PROFILE } from '@connector/kernel/digest-profile';
import { invariant } from '@connector/kernel/faults';
import { ConfigurationId, type EpochId, type OperationId } from '@connector/kernel/ids';
import { askOwners } from '@connector/connector/contract/ask-owners';
import type { Owners } from '@connector/connector/contract/owners';
import { assembleEpoch } from '@connector/connector/model/serving/assemble-epoch';
import type { EpochQuestion, OwnerName } from '@connector/connector/model/serving/owner-answers';
import { compareEpoch, verificationEvidence, type EpochVerdict, type StoredEpoch } from '@connector/connector/model/serving/verification';
import { readEpochContent, readEpochHeader } from '@connector/connector/reads/serving/epoch';
import { readVerification } from '@connector/connector/reads/serving/verification';
import { prepareEpoch, type PreparedEpoch } from '@connector/connector/transitions/serving/prepare-epoch.tx';
import { verifyEpoch, type VerifiedEpoch } from '@connector/connector/transitions/serving/verify-epoch.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { lookForPins, pinNamed } from './pins';

/** Nothing was written, and nothing follows for the candidate. */
export interface OwnerUnavailable {
  readonly kind: 'unavailable';
  readonly owner: OwnerName;
}

/** `refused`: what the owners say makes no epoch, so none was stored. */
export type EpochPrepared =
  PreparedEpoch | OwnerUnavailable | { readonly kind: 'refused'; readonly owner: OwnerName | 'connector'; readonly code: string };

type Decided = { readonly kind: 'verified' } | { readonly kind: 'rejected'; readonly reason: string | null };
export type EpochVerified = (Decided & { readonly epochId: EpochId }) | Exclude<VerifiedEpoch, Decided> | OwnerUnavailable;

export interface VerifyRequest {
  readonly operationId: OperationId;
  readonly requestedBy: string;
}

/** Every owner asked afresh about exactly what a candidate froze, and compared with it byte for byte. */
export async function reread(owners: Owners, stored: StoredEpoch): Promise<EpochVerdict> {
  const { organization, installation, workload, lineage } = stored.parts.catalog;
  const configurationId = ConfigurationId.of(stored.parts.configuration.generationId);
  const scope = { organization, installation, workload };
  return compareEpoch(stored, await askOwners(owners, { ...scope, configurationId, minCatalogRevision: lineage.catalogRevision }));
}

/** The same, and what it names must be pinned by now: what nothing keeps may be gone while the epoch serves (cat:INT-13, con:DEFN-M). */
export async function rereadPinned(owners: Owners, stored: StoredEpoch): Promise<EpochVerdict> {
  const verdict = await reread(owners, stored);
  return verdict.kind === 'verified' ? ((await lookForPins(owners, stored)) ?? verdict) : verdict;
}

/** Candidates: made from what the owners say, and verified against it (con:MAP-06). */
export class Epochs {
  constructor(
    private readonly db: Db,
    private readonly owners: Owners,
  ) {}

  async prepare(epochId: EpochId, question: EpochQuestion): Promise<EpochPrepared> {
    const asked = await askOwners(this.owners, question);
    if (asked.kind === 'unavailable') return asked;
    if (asked.kind === 'rejected') return { ...asked, kind: 'refused' };
    const assembled = assembleEpoch(epochId, asked.answers);
    if (assembled.kind === 'mismatch') return { ...assembled, kind: 'refused' };
    return retrying(ANSWER_SOON, () => prepareEpoch(this.db, { digestProfile: DIGEST_PROFILE, parts: assembled.parts }));
  }

  async verify(epochId: EpochId, request: VerifyRequest): Promise<EpochVerified> {
    // Before any owner is asked: what this operation decided stands, whatever they would say now.
    const before = await this.#decidedBy(epochId, request.operationId);
    if (before !== undefined) return before;
    const header = await readEpochHeader(this.db, epochId);
    if (header === undefined) return { kind: 'not-found' };
    if (header.state !== 'prepared') return { kind: 'not-prepared', state: header.state };
    const stored = await readEpochContent(this.db, epochId, header.epochDigest);
    invariant(stored !== undefined, 'HOUSE:coordinator:EpochWithoutContent', epochId);
    const verdict = await this.#judge(stored);
    if (verdict.kind === 'unavailable') return verdict;
    return this.#record(stored, verdict, request);
  }

  /** Found first, then pinned: the pin is refused for what went away between the two. */
  async #judge(stored: StoredEpoch): Promise<EpochVerdict> {
    const verdict = await reread(this.owners, stored);
    return verdict.kind === 'verified' ? ((await pinNamed(this.owners, stored)) ?? verdict) : verdict;
  }

  async #record(stored: StoredEpoch, verdict: Exclude<EpochVerdict, OwnerUnavailable>, request: VerifyRequest): Promise<EpochVerified> {
    const { epochId, epochDigest } = stored;
    const input = { ...request, epochId, epochDigest, verdict, evidence: verificationEvidence(stored, verdict) };
    const answer = await retrying(ANSWER_SOON, () => verifyEpoch(this.db, input));
    // Two runs of one operation may have been told different things; the one that committed first is the operation.
    if (answer.kind === 'operation-reused') return (await this.#decidedBy(epochId, request.operationId)) ?? answer;
    return answer.kind === 'rejected' ? { kind: 'rejected', epochId, reason: verdict.kind === 'rejected' ? verdict.reason : null } : answer;
  }

  async #decidedBy(epochId: EpochId, operationId: OperationId): Promise<EpochVerified | undefined> {
    const decided = await readVerification(this.db, epochId);
    if (decided?.operationId !== operationId) return undefined;
    return decided.verdict === 'verified' ? { kind: 'verified', epochId } : { kind: 'rejected', epochId, reason: decided.reason };
  }
}
