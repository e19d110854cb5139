import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { Candidate } from '@connector/catalog/model/installation/candidate';
import type { ExpectedBasis } from '@connector/catalog/model/installation/gathered';
import type { InstallationState } from '@connector/catalog/model/installation/installation';
import { readInstallation } from '@connector/catalog/reads/installation';
import type { Db } from '@connector/platform/db/db';

/** An installation as somebody saw it who asks for its next move (catalog.md B.3). */
export interface SeenInstallation {
  readonly organization: string;
  readonly installation: string;
  readonly expectedState: InstallationState;
  readonly expectedActivationEpoch: bigint;
  /** Of a plan that somebody confirmed; both left out where nobody did. */
  readonly expected?: ExpectedBasis | undefined;
  readonly expectedAttempt?: bigint | undefined;
}

type NotAsSeen =
  | { readonly kind: 'no-installation' }
  | { readonly kind: 'state-moved'; readonly state: InstallationState }
  | { readonly kind: 'activation-epoch-moved'; readonly activationEpoch: bigint };

/** What is compared here only spares the asker a surprise: the doors compare it again under their locks. */
export async function lookAgain(
  db: Db,
  seen: SeenInstallation,
): Promise<{ readonly kind: 'as-seen'; readonly attempt: bigint } | NotAsSeen> {
  const standing = await readInstallation(db, seen.organization, seen.installation);
  if (standing.kind === 'absent') return { kind: 'no-installation' };
  const { state, activationEpoch, attempt } = standing;
  if (state !== seen.expectedState) return { kind: 'state-moved', state };
  if (activationEpoch !== seen.expectedActivationEpoch) return { kind: 'activation-epoch-moved', activationEpoch };
  return { kind: 'as-seen', attempt };
}

/** The choices of an earlier attempt, to be checked anew. */
export function askedIn(candidate: Candidate): AskedInstallation {
  return {
    appId: candidate.app_id,
    appReleaseDigest: candidate.app_release_digest,
    dependencies: candidate.dependencies.map(({ alias, app_release_digest: appReleaseDigest }) => ({ alias, appReleaseDigest })),
    grants: candidate.grants.map(({ workload_id: workloadId, capabilities }) => ({ workloadId, capabilities })),
    handlerBindings: candidate.handler_bindings.map((binding) => ({
      capabilityId: binding.capability_id,
      workloadId: binding.workload_id,
      serviceReleaseDigest: binding.service_release_digest,
    })),
    frontendReleaseDigest: candidate.frontend_binding?.frontend_release_digest ?? null,
  };
}
