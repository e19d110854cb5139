/**
 * open-binding-reference: a route or some work refers to a binding
 *
 * why     Its owner says so before it relies on it, so that draining knows whom to wait for (cat:BIND-11, cat:A-34).
 * paths   open-binding-reference
 * locks   installation, binding
 * fence   the binding ACTIVE or DRAINING: work that began before the drain may still be told of; what is RETIRED serves nobody.
 * again   Binding and reference: the same again is `already-open`; of another kind it is another's. One that was closed is not opened again.
 */
import type { Db } from '@connector/platform/db/db';
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import { catBindingReference } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import type { BindingState } from '../../model/installation/binding';
import { catalogDoors } from '../../model/paths';
import { bindingKey, type BindingRef, lockBinding } from './binding-rows';

export interface BindingReference extends BindingRef {
  readonly referenceId: string;
  readonly kind: 'route' | 'work';
}
export type OpenedReference =
  | { readonly kind: 'opened' | 'already-open' | 'already-closed' | 'no-binding' }
  | { readonly kind: 'not-serving'; readonly state: BindingState }
  | { readonly kind: 'conflicting-reference'; readonly referenceKind: string };

const STANDING = readRows(
  catBindingReference,
  ['open_binding_id', 'kind'],
  `WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND binding_id = :binding_id
     AND reference_id = :reference_id`,
);

/** `caller`: who says so. */
export function openBindingReference(db: Db, reference: BindingReference, caller: string): Promise<OpenedReference> {
  const key = { ...bindingKey(reference), reference_id: reference.referenceId };
  return db.fenced(catalogDoors['open-binding-reference'], async (tx) => {
    const row = await lockInstallation(tx, reference.organization, reference.installation);
    const binding = row && (await lockBinding(tx, reference));
    if (binding === undefined) return { kind: 'no-binding' };
    if (binding.state !== 'ACTIVE' && binding.state !== 'DRAINING') return { kind: 'not-serving', state: binding.state };
    const opened = await tx.insertNew(catBindingReference, { ...key, kind: reference.kind, open_binding_id: reference.bindingId });
    if (opened === 'inserted') {
      const details = { binding_id: reference.bindingId, reference_id: reference.referenceId };
      await audit(tx, { caller, subject: reference.installation, details });
      return { kind: 'opened' };
    }
    const [standing] = await tx.read(STANDING, key);
    invariant(standing, 'HOUSE:catalog:ReferenceUnexplained', reference.referenceId);
    if (standing.kind !== reference.kind) return { kind: 'conflicting-reference', referenceKind: standing.kind };
    return { kind: standing.open_binding_id === null ? 'already-closed' : 'already-open' };
  });
}
