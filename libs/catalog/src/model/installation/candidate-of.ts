import type { Instant } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import { mintUuid7 } from '@connector/kernel/ids';
import type { Attempt } from './attempt';
import type { Candidate } from './candidate';
import type { OpenPublication } from './gathered';

/** The candidate of a preparation whose checks all hold; `now` is in the ids of its bindings. */
export function candidateOf(
  now: Instant,
  { organization, installation, attempt, asked, gathered }: Pick<OpenPublication, 'organization' | 'asked' | 'gathered'> & Attempt,
): Candidate {
  const { schemaGeneration, dependencyApps } = gathered;
  invariant(schemaGeneration !== null, 'HOUSE:catalog:Unverified', 'a candidate without a schema generation');
  const { frontendReleaseDigest: frontend } = asked;
  return {
    schema_version: 'nexuscrm.app-installation-candidate/v1',
    organization_id: organization,
    app_installation_id: installation,
    attempt: attempt.toString(),
    app_id: asked.appId,
    app_release_digest: asked.appReleaseDigest,
    dependencies: asked.dependencies.map(({ alias, appReleaseDigest }) => ({
      alias,
      app_id: dependencyApps.get(alias) ?? '',
      app_release_digest: appReleaseDigest,
    })),
    grants: asked.grants.map(({ workloadId, capabilities }) => ({ workload_id: workloadId, capabilities })),
    handler_bindings: asked.handlerBindings.map(({ capabilityId, workloadId, serviceReleaseDigest }) => ({
      binding_id: mintUuid7(now),
      capability_id: capabilityId,
      workload_id: workloadId,
      service_release_digest: serviceReleaseDigest,
    })),
    schema_generation: schemaGeneration,
    ...(frontend === null ? {} : { frontend_binding: { binding_id: mintUuid7(now), frontend_release_digest: frontend } }),
  };
}
