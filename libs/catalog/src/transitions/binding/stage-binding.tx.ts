/**
 * stage-binding: another service or frontend release for what an installation runs
 *
 * why     A service moves without its App: no release is made, one exact digest is chosen (cat:BIND-19, cat:OWN-18, cat:OWN-19).
 * paths   pass-barrier, stage-binding
 * locks   barrier, lineage, installation
 * fence   the installation is ACTIVE as the release that the asker saw; the four checks of its tuple hold (cat:BIND-08).
 * again   The request key.
 */
import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { mintUuid7 } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { catBinding, catBindingState } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { activeTupleOf, lockInstallation } from '../../fences/installation';
import { lockLineage } from '../../fences/lineage';
import { keepRequest, recallRequest } from '../../fences/request';
import { FRONTEND } from '../../model/installation/binding';
import { type Attestation, type Rebinding, rebindingFaults } from '../../model/installation/check-rebinding';
import { handlerOf } from '../../model/installation/tuple';
import type { AppManifest } from '../../model/manifest';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export interface StageBinding {
  readonly organization: string;
  readonly installation: string;
  readonly rebinding: Rebinding;
  /** Of the release that the asker saw ACTIVE, verified by its digest. */
  readonly appReleaseDigest: Digest;
  readonly manifest: AppManifest;
  readonly attestation: Attestation;
  readonly receipt: Buffer;
}
export type StagedBinding =
  | { readonly kind: 'staged'; readonly bindingId: string }
  | { readonly kind: 'not-active' }
  | { readonly kind: 'release-moved'; readonly appReleaseDigest: Digest }
  | { readonly kind: 'incompatible'; readonly faults: readonly DocumentFault[] }
  | BarrierHeld;

export function stageBinding(db: Db, input: StageBinding, request: RequestKey): Promise<StagedBinding> {
  const { organization, installation, rebinding, manifest } = input;
  return db.fenced(catalogDoors['stage-binding'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    const before = await recallRequest<StagedBinding>(tx, request);
    if (before !== undefined) return before;
    const row = lineage && (await lockInstallation(tx, organization, installation));
    const tuple = row && (await activeTupleOf(tx, row));
    if (lineage === undefined || tuple === undefined) return { kind: 'not-active' };
    if (tuple.appReleaseDigest !== input.appReleaseDigest) return { kind: 'release-moved', appReleaseDigest: tuple.appReleaseDigest };
    const faults = rebindingFaults(rebinding, manifest, tuple.grants, input.attestation);
    if (faults.length > 0) return { kind: 'incompatible', faults };
    const key = { organization_id: organization, app_installation_id: installation, binding_id: mintUuid7(lineage.now) };
    const { capabilityId, workloadId, artifactDigest } = rebinding;
    await tx.insert(catBinding, [
      {
        ...key,
        app_release_digest: input.appReleaseDigest,
        capability_id: capabilityId,
        handler_ref: capabilityId === FRONTEND ? null : handlerOf(manifest, capabilityId),
        workload_id: workloadId,
        artifact_digest: artifactDigest,
        compatibility_receipt: input.receipt,
      },
    ]);
    await tx.insert(catBindingState, [
      { ...key, capability_id: capabilityId, state: 'STAGED', ownership_epoch: null, active_capability_id: null },
    ]);
    const details = { binding_id: key.binding_id, capability_id: capabilityId, artifact_digest: artifactDigest };
    await audit(tx, { caller: request.caller, subject: installation, details });
    return keepRequest(tx, request, { kind: 'staged', bindingId: key.binding_id });
  });
}
