import type { RequestKey } from '@connector/catalog/model/request';
import { type AbandonedCandidate, abandonCandidate } from '@connector/catalog/transitions/installation/abandon-candidate.tx';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { type Continued, continuePublication } from './continue-publication';
import type { PublicationParts } from './publication-parts';
import type { SeenInstallation } from './standing';

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
  const { organization, installation, expectedState: state, expectedActivationEpoch: activationEpoch, expectedAttempt } = seen;
  const input = { organization, installation, state, activationEpoch, attempt: expectedAttempt };
  const answer = await retrying(ANSWER_SOON, () => abandonCandidate(parts.db, input, request));
  if (answer.kind !== 'taking-back') return answer;
  const end = await continuePublication(parts, { organization, installation, attempt: answer.attempt });
  return end.kind === 'abandoned' ? { kind: 'abandoned' } : { kind: 'taking-back', end };
}
