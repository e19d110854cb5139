import type { Digest } from '@connector/kernel/digest';
import type { FrontendReleaseAnswer, ServiceReleaseAnswer, WorkloadAnswer } from '../model/installation/deployment';

/**
 * The deployment as Catalog sees it: which workloads there are and what their releases attest. Where one is reached, and whether it is well, is
 * the deployment's alone (cat:BIND-15, cat:BIND-16). Nothing is thrown for a failed call: that is `unavailable`.
 */
export interface DeploymentResolver {
  workload(workloadId: string): Promise<WorkloadAnswer>;
  serviceRelease(workloadId: string, serviceReleaseDigest: Digest): Promise<ServiceReleaseAnswer>;
  frontendRelease(frontendReleaseDigest: Digest): Promise<FrontendReleaseAnswer>;
}
