import type { Digest } from '@connector/kernel/digest';

/** A generation as an epoch names it: where it stands, and what it is. A wrong half names none, never a neighbour. */
export interface GenerationName {
  readonly storageId: string;
  readonly payloadDigest: Digest;
}

/** Generations of one epoch: the items of one door (decisions 3.6). */
export const PINNED_MAX = 500;
