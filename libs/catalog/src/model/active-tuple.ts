import type { Digest } from '@connector/kernel/digest';

/** What one workload of an installation may do. */
export interface WorkloadGrant {
  readonly workloadId: string;
  /** Runtime capability ids, each once. */
  readonly capabilities: readonly string[];
}

/** What a view is computed from: the part of an installation's ACTIVE tuple that its workloads are authorized by. */
export interface ActiveTuple {
  readonly organization: string;
  readonly installation: string;
  readonly appReleaseDigest: Digest;
  readonly dependencyReleaseDigests: readonly Digest[];
  /** Every authorized workload, also one without a capability. */
  readonly grants: readonly WorkloadGrant[];
}
