import type { RequestKey } from '@connector/catalog/model/request';
import { readEnd, readOpenPublication } from '@connector/catalog/reads/publication';
import { type AbandonedCandidate, abandonCandidate } from '@connector/catalog/transitions/installation/abandon-candidate.tx';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { type Continued, continuePublication } from './continue-publication';
import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import type { PublicationParts } from './publication-parts';
import { lookAgain, type SeenInstallation } from './standing';

export type Abandoned =
  | { readonly kind: 'abandoned' }
  /** Given up for good; what Runtime may hold of it is still to be taken back. */
  | { readonly kind: 'taking-back'; readonly end: Continued }
  | Exclude<AbandonedCandidate, { readonly kind: 'abandoned' | 'taking-back' }>;

/**
 * Gives a candidate up. An upgrade or a rollback leaves the installation ACTIVE with what it was; a preparation leaves it FAILED, since it has
 * nothing to be ACTIVE with (cat:INST-T05, cat:INST-T08, cat:INST-T11). A removal is not given up: it is the only way out (cat:A-29).
 */
export async function abandonInstallation(parts: PublicationParts, seen: SeenInstallation, request: RequestKey): Promise<Abandoned> {
  if (seen.expectedState === 'PREPARING') return abandonPreparation(parts, seen, request);
  const { organization, installation, expectedState: state, expectedActivationEpoch: activationEpoch, expectedAttempt } = seen;
  const input = { organization, installation, state, activationEpoch, attempt: expectedAttempt };
  const answer = await retrying(ANSWER_SOON, () => abandonCandidate(parts.db, input, request));
  if (answer.kind !== 'taking-back') return answer;
  const end = await continuePublication(parts, { organization, installation, attempt: answer.attempt });
  return end.kind === 'abandoned' ? { kind: 'abandoned' } : { kind: 'taking-back', end };
}

async function abandonPreparation(parts: PublicationParts, seen: SeenInstallation, { caller }: RequestKey): Promise<Abandoned> {
  const { organization, installation, expectedAttempt } = seen;
  const found = await lookAgain(parts.db, seen);
  if (found.kind !== 'as-seen') return (await wasGivenUp(parts, seen)) ? { kind: 'abandoned' } : found;
  const open = await readOpenPublication(parts.db, organization);
  if (open?.installation !== installation) return { kind: 'transition-not-allowed', state: seen.expectedState };
  if (expectedAttempt !== undefined && expectedAttempt !== open.attempt) return { kind: 'attempt-moved', attempt: open.attempt };
  const attempt = { organization, ...open };
  const ending = { ...attempt, code: 'ABANDONED', detail: `given up by ${caller}`, by: caller } as const;
  const failed = await retrying(ANSWER_SOON, () => failPublication(parts.db, ending));
  if (failed.kind === 'barrier-held') return failed;
  if (failed.kind === 'not-open') return { kind: 'state-moved', state: seen.expectedState };
  await continuePublication(parts, attempt);
  return { kind: 'abandoned' };
}

/** What was given up is FAILED by then: whoever asks again is known by the attempt. */
async function wasGivenUp({ db }: PublicationParts, { organization, installation, expectedAttempt: attempt }: SeenInstallation) {
  const end = attempt === undefined ? undefined : await readEnd(db, { organization, installation, attempt });
  return end?.kind === 'failed' && end.code === 'ABANDONED';
}
