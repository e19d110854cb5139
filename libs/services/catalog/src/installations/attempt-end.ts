import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import type { PublicationFailure } from '@connector/catalog/model/installation/publication';
import { type AttemptEnd, type Frozen, readFrozen } from '@connector/catalog/reads/publication';
import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { invariant } from '@connector/kernel/faults';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { PublicationParts } from './publication-parts';

/** `waiting`: somebody has to come back; whatever asks again goes on from the journal. */
export type Continued =
  AttemptEnd | { readonly kind: 'waiting'; readonly for: 'security' | 'schema' | 'barrier' } | { readonly kind: 'not-open' };

/** An activation holds the installation's authors off: the attempt stays where it is until that is over (cat:INT-16). */
export const BEHIND_BARRIER = { kind: 'waiting', for: 'barrier' } as const;

export async function frozenOf({ db }: PublicationParts, attempt: OpenAttempt): Promise<Frozen> {
  const frozen = await readFrozen(db, attempt);
  invariant(frozen !== undefined, 'HOUSE:catalog:CandidateMissing', `an opened attempt of ${attempt.installation} has no candidate`);
  return frozen;
}

/**
 * Ends an attempt that cannot go on. An abandonment does not end so (only its command can be superseded): what is wrong with it is wrong with rows
 * or with Runtime, and it waits for a person while it says so.
 */
export async function fail(
  parts: PublicationParts,
  attempt: OpenAttempt,
  code: PublicationFailure,
  detail: string,
): Promise<Continued | undefined> {
  const row = `${attempt.installation} attempt ${attempt.attempt}`;
  parts.log.warn('publication-failed', { row, code, detail });
  const failed = await retrying(ANSWER_SOON, () => failPublication(parts.db, { ...attempt, code, detail, by: 'catalog' }));
  if (failed.kind === 'barrier-held') return BEHIND_BARRIER;
  return failed.kind === 'not-open' && (await frozenOf(parts, attempt)).kind === 'abandonment'
    ? { kind: 'waiting', for: 'security' }
    : undefined;
}
