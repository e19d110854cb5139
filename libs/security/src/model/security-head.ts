import type { Digest } from '@connector/kernel/digest';

/** What stands for an organization, as of one moment. */
export interface SecurityHead {
  /** 0 where nothing was projected yet (cat:A-31). */
  readonly securityEpoch: bigint;
  readonly otherInputsDigest: Digest;
  readonly projectionDigest: Digest | null;
}
