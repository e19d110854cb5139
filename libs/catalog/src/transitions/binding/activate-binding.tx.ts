/**
 * activate-binding: a staged binding serves, under the next ownership epoch of its capability
 *
 * why     Of two activations one wins by the epoch that it saw; the binding before drains in the same commit, so there are never two and never
 *         none (cat:BIND-05, cat:BIND-07, cat:BIND-09).
 * paths   pass-barrier, activate-binding
 * locks   barrier, lineage, installation, binding, ownership head
 * fence   the head at the epoch that the asker saw; the binding STAGED for the release that is ACTIVE; the four checks hold now (cat:BIND-08).
 * again   The request key.
 */
import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { invariant } from '@connector/kernel/faults';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catOwnershipHead } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { activeTupleOf, lockInstallation } from '../../fences/installation';
import { lockLineage, takeRevision } from '../../fences/lineage';
import { keepRequest, recallRequest } from '../../fences/request';
import type { BindingState } from '../../model/installation/binding';
import { type Attestation, rebindingFaults } from '../../model/installation/check-rebinding';
import type { AppManifest } from '../../model/manifest';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { switchBinding } from '../installation/activate-bindings';
import { type BindingRef, lockBinding, readBinding } from './binding-rows';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export interface ActivateBinding extends BindingRef {
  /** Of the capability, as the asker saw it; 0 where nothing was ever ACTIVE. */
  readonly expectedOwnershipEpoch: bigint;
  /** Of the release that the binding names, verified by its digest. */
  readonly manifest: AppManifest;
  readonly attestation: Attestation;
}
export type ActivatedBinding =
  | { readonly kind: 'activated'; readonly ownershipEpoch: bigint; readonly catalogRevision: bigint }
  | { readonly kind: 'no-binding' | 'not-active' }
  | { readonly kind: 'not-staged'; readonly state: BindingState }
  | { readonly kind: 'ownership-epoch-stale'; readonly ownershipEpoch: bigint }
  | { readonly kind: 'release-moved'; readonly appReleaseDigest: Digest }
  | { readonly kind: 'incompatible'; readonly faults: readonly DocumentFault[] }
  | BarrierHeld;

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND capability_id = :capability_id';
const HEAD = lockRows(catOwnershipHead, ['ownership_epoch'], ONE);
const RAISE = updateRows(catOwnershipHead, `SET ownership_epoch = :ownership_epoch.next ${ONE} AND ownership_epoch = :ownership_epoch`);

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
    const key = { organization_id: organization, app_installation_id: installation, capability_id: binding.capabilityId };
    // Of one rank the ids of bindings, which begin with a digit, come before capabilities, which begin with a letter.
    const standing = await lockBinding(tx, input);
    const head = await tx.lock(HEAD, key);
    const epoch = head?.ownership_epoch ?? 0n;
    if (standing?.state !== 'STAGED') return { kind: 'not-staged', state: standing?.state ?? 'FAILED' };
    if (epoch !== input.expectedOwnershipEpoch) return { kind: 'ownership-epoch-stale', ownershipEpoch: epoch };
    const { appReleaseDigest } = tuple;
    if (appReleaseDigest !== binding.appReleaseDigest) return { kind: 'release-moved', appReleaseDigest };
    const faults = rebindingFaults(binding, input.manifest, tuple.grants, input.attestation);
    if (faults.length > 0) return { kind: 'incompatible', faults };
    await raise(tx, key, head?.ownership_epoch);
    await switchBinding(tx, key, bindingId);
    const catalogRevision = await takeRevision(tx, lineage, { cause: 'binding', installation });
    const details = { binding_id: bindingId, capability_id: binding.capabilityId, ownership_epoch: (epoch + 1n).toString() };
    await audit(tx, { caller: request.caller, subject: installation, details });
    return keepRequest(tx, request, { kind: 'activated', ownershipEpoch: epoch + 1n, catalogRevision });
  });
}

type HeadKey = { readonly organization_id: string; readonly app_installation_id: string; readonly capability_id: string };

/** The head is locked, or is nobody's while the installation's row is held. */
async function raise(tx: FencedTx, key: HeadKey, from: bigint | undefined): Promise<void> {
  if (from === undefined) return tx.insert(catOwnershipHead, [{ ...key, ownership_epoch: 1n }]);
  const raised = await tx.cas(RAISE, { ...key, ownership_epoch: from, 'ownership_epoch.next': from + 1n });
  invariant(raised, 'HOUSE:catalog:CasUnexplained', 'a locked ownership head moved');
}
