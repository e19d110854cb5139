import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import type { FrontendReleaseAnswer, ServiceReleaseAnswer } from './deployment';
import type { WorkloadGrant } from '../active-tuple';
import type { AppManifest } from '../manifest';
import { FRONTEND } from './binding';
import { bindingFaults, frontendFaults } from './check-bindings';

/** Another release for one capability, or for the frontend, of an installation that is ACTIVE (cat:BIND-19, cat:OWN-19). */
export interface Rebinding {
  /** `frontend` for the frontend. */
  readonly capabilityId: string;
  /** null for a frontend. */
  readonly workloadId: string | null;
  readonly artifactDigest: Digest;
}

/** What the deployment says of the named artifact, now. */
export type Attestation =
  | { readonly plane: 'service'; readonly answer: ServiceReleaseAnswer }
  | { readonly plane: 'frontend'; readonly answer: FrontendReleaseAnswer };

/** cat:BIND-08, judged against the release that is ACTIVE and the grants of its tuple; a binding of the wrong plane is of an unknown release. */
export function rebindingFaults(
  { capabilityId, workloadId, artifactDigest }: Rebinding,
  manifest: AppManifest,
  grants: readonly WorkloadGrant[],
  attestation: Attestation,
): readonly DocumentFault[] {
  if (capabilityId === FRONTEND) {
    const answer: FrontendReleaseAnswer = attestation.plane === 'frontend' ? attestation.answer : { kind: 'unknown' };
    return frontendFaults({ frontendReleaseDigest: artifactDigest }, manifest, answer);
  }
  const binding = { capabilityId, workloadId: workloadId ?? '', serviceReleaseDigest: artifactDigest };
  const answer: ServiceReleaseAnswer = attestation.plane === 'service' ? attestation.answer : { kind: 'unknown' };
  return bindingFaults(binding, '', manifest, grants, [{ ...binding, answer }]);
}
