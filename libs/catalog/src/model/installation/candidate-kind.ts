import { invariant } from '@connector/kernel/faults';
import type { InstallationState } from './installation';

/** An attempt that makes a release ACTIVE. */
export const RELEASE_KINDS = ['install', 'upgrade', 'rollback'] as const;
export type ReleaseKind = (typeof RELEASE_KINDS)[number];

/**
 * What an attempt is for. An `abandonment` takes back what Runtime may have been told of an attempt that ended without being published, and
 * changes nothing that serves (cat:PUBL-11).
 */
export const CANDIDATE_KINDS = [...RELEASE_KINDS, 'removal', 'abandonment'] as const;
export type CandidateKind = (typeof CANDIDATE_KINDS)[number];

/** The state in which an attempt waits for its step 4. */
export const STATE_OF = {
  install: 'PREPARING',
  upgrade: 'UPGRADING',
  rollback: 'ROLLING_BACK',
  removal: 'REMOVING',
} as const satisfies Record<Exclude<CandidateKind, 'abandonment'>, InstallationState>;

export const isReleaseKind = (kind: string): kind is ReleaseKind => RELEASE_KINDS.some((one) => one === kind);

/** DefectFault for a word that is none. */
export function kindOf(word: string): CandidateKind {
  const kind = CANDIDATE_KINDS.find((one) => one === word);
  invariant(kind !== undefined, 'HOUSE:catalog:RowUnreadable', `no candidate is of kind ${word}`);
  return kind;
}
