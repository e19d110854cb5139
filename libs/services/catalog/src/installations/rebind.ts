import type { DeploymentResolver } from '@connector/catalog/contract/deployment-resolver';
import { FRONTEND } from '@connector/catalog/model/installation/binding';
import type { Attestation, Rebinding } from '@connector/catalog/model/installation/check-rebinding';
import type { AppManifest } from '@connector/catalog/model/manifest';
import { appReleaseDigest } from '@connector/catalog/model/release-digests';
import type { RequestKey } from '@connector/catalog/model/request';
import { storedManifest } from '@connector/catalog/model/stored-manifest';
import { readBindingOf } from '@connector/catalog/reads/binding';
import { readInstallation } from '@connector/catalog/reads/installation';
import { readReleaseBytes } from '@connector/catalog/reads/release-bytes';
import { type ActivatedBinding, activateBinding } from '@connector/catalog/transitions/binding/activate-binding.tx';
import type { BindingRef } from '@connector/catalog/transitions/binding/binding-rows';
import { type StagedBinding, stageBinding } from '@connector/catalog/transitions/binding/stage-binding.tx';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { jcs, type Json } from '@connector/kernel/jcs';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { outcomeBody } from '@connector/platform/host/outcome';
import { OwnerSilentFault } from '../owner-silent';
import type { PreparationParts } from './gather';

export interface AskedBinding {
  readonly organization: string;
  readonly installation: string;
  readonly rebinding: Rebinding;
}

/** Stages what the deployment attests now; activation asks it again. */
export async function stage(
  parts: PreparationParts,
  { organization, installation, rebinding }: AskedBinding,
  request: RequestKey,
): Promise<StagedBinding> {
  const standing = await readInstallation(parts.db, organization, installation);
  if (standing.kind === 'absent' || standing.activeReleaseDigest === null) return { kind: 'not-active' };
  const { appId, activeReleaseDigest } = standing;
  const manifest = await manifestOf(parts.db, appId, activeReleaseDigest);
  const attestation = await attestationOf(parts.deployment, rebinding);
  const receipt = jcs(outcomeBody(attestation.answer) as Json);
  const input = { organization, installation, rebinding, appReleaseDigest: activeReleaseDigest, manifest, attestation, receipt };
  return retrying(ANSWER_SOON, () => stageBinding(parts.db, input, request));
}

export async function activate(
  parts: PreparationParts,
  ref: BindingRef & { readonly expectedOwnershipEpoch: bigint },
  request: RequestKey,
): Promise<ActivatedBinding> {
  const binding = await readBindingOf(parts.db, ref.organization, ref.installation, ref.bindingId);
  if (binding === undefined) return { kind: 'no-binding' };
  const manifest = await manifestOf(parts.db, binding.appId, binding.appReleaseDigest);
  const attestation = await attestationOf(parts.deployment, binding);
  return retrying(ANSWER_SOON, () => activateBinding(parts.db, { ...ref, manifest, attestation }, request));
}

async function manifestOf(db: Db, appId: string, releaseDigest: Digest): Promise<AppManifest> {
  const release = await readReleaseBytes(db, appId, releaseDigest);
  const stands = release !== undefined && appReleaseDigest(release.manifest) === releaseDigest;
  invariant(stands, 'HOUSE:catalog:StoredManifest', 'a release that serves is not what its digest says');
  return storedManifest(release.manifest);
}

async function attestationOf(
  deployment: DeploymentResolver,
  { capabilityId, workloadId, artifactDigest }: Rebinding,
): Promise<Attestation> {
  const attestation: Attestation =
    capabilityId === FRONTEND
      ? { plane: 'frontend', answer: await deployment.frontendRelease(artifactDigest) }
      : { plane: 'service', answer: await deployment.serviceRelease(workloadId ?? '', artifactDigest) };
  if (attestation.answer.kind !== 'unavailable') return attestation;
  throw new OwnerSilentFault('deployment');
}
