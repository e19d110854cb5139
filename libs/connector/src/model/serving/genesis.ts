import type { Digest } from '@connector/kernel/digest';
import type { AttemptId, EpochId } from '@connector/kernel/ids';

/** What a deployment may say of itself, once (decisions 10). */
export const PREDECESSORS = ['no_predecessor', 'v1'] as const;
export type Predecessor = (typeof PREDECESSORS)[number];

/** One try to begin the service; the same one is resumed after any crash, and no other begins. */
export interface GenesisAttempt {
  readonly attemptId: AttemptId;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
}

interface AttemptRow {
  readonly attempt_id: AttemptId;
  readonly epoch_id: EpochId;
  readonly epoch_digest: Digest;
}

export function sameAttempt(row: AttemptRow, attempt: GenesisAttempt): boolean {
  return row.attempt_id === attempt.attemptId && row.epoch_id === attempt.epochId && row.epoch_digest === attempt.epochDigest;
}

/** What a new session found after the activation (con:OPEN-44). */
export type GenesisReadback =
  { readonly kind: 'as-activated' } | { readonly kind: 'differs'; readonly what: 'epoch' | 'certificate' | 'gates' | 'work' | 'feeds' };
