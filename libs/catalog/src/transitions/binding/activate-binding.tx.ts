/**
 * activate-binding: a staged binding serves, under the next ownership epoch of its capability
 *
 * why     What was attested when it was staged may not be so any more; what may serve takes its capability over (cat:BIND-07, cat:BIND-08).
 * paths   pass-barrier, activate-binding, take-over-capability
 * locks   barrier, lineage, installation, binding, ownership head
 * fence   the binding STAGED for the release that is ACTIVE; the four checks hold now (cat:BIND-08); the head at the epoch that the asker saw.
 * again   The request key.
 */
import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import type { Db } from '@connector/platform/db/db';
import { audit } from '../../fences/audit';
import { activeTupleOf, lockInstallation } from '../../fences/installation';
import { lockLineage } from '../../fences/lineage';
import { keepRequest, recallRequest } from '../../fences/request';
import type { BindingState } from '../../model/installation/binding';
import { type Attestation, rebindingFaults } from '../../model/installation/check-rebinding';
import type { AppManifest } from '../../model/manifest';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { type BindingRef, lockBinding, readBinding } from './binding-rows';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';
import { takeOverCapability, type TookOver } from './take-over-capability.step';

export interface ActivateBinding extends BindingRef {
  /** Of the capability, as the asker saw it. */
  readonly expectedOwnershipEpoch: bigint;
  /** Of the release that the binding names, verified by its digest. */
  readonly manifest: AppManifest;
  readonly attestation: Attestation;
}
export type ActivatedBinding =
  | TookOver
  | { readonly kind: 'no-binding' | 'not-active' }
  | { readonly kind: 'not-staged'; readonly state: BindingState }
  | { readonly kind: 'release-moved'; readonly appReleaseDigest: Digest }
  | { readonly kind: 'incompatible'; readonly faults: readonly DocumentFault[] }
  | BarrierHeld;

export function activateBinding(db: Db, input: ActivateBinding, request: RequestKey): Promise<ActivatedBinding> {
  const { organization, installation, bindingId } = input;
  return db.fenced(catalogDoors['activate-binding'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    const before = await recallRequest<ActivatedBinding>(tx, request);
    if (before !== undefined) return before;
    const row = lineage && (await lockInstallation(tx, organization, installation));
    const binding = row && (await readBinding(tx, input));
    if (lineage === undefined || row === undefined || binding === undefined) return { kind: 'no-binding' };
    const tuple = await activeTupleOf(tx, row);
    if (tuple === undefined) return { kind: 'not-active' };
    // Of one rank the ids of bindings, which begin with a digit, come before capabilities, which begin with a letter.
    const standing = await lockBinding(tx, input);
    if (standing?.state !== 'STAGED') return { kind: 'not-staged', state: standing?.state ?? 'FAILED' };
    const { capabilityId, appReleaseDigest } = binding;
    if (tuple.appReleaseDigest !== appReleaseDigest) return { kind: 'release-moved', appReleaseDigest: tuple.appReleaseDigest };
    const faults = rebindingFaults(binding, input.manifest, tuple.grants, input.attestation);
    if (faults.length > 0) return { kind: 'incompatible', faults };
    const taken = await takeOverCapability(tx, lineage, { ...input, capabilityId });
    if (taken.kind !== 'activated') return taken;
    const details = { binding_id: bindingId, capability_id: capabilityId, ownership_epoch: taken.ownershipEpoch.toString() };
    await audit(tx, { caller: request.caller, subject: installation, details });
    return keepRequest(tx, request, taken);
  });
}
