/**
 * close-binding-reference: nothing of a route or of some work refers to a binding any more
 *
 * why     The evidence that draining waits for comes from whoever relied on the binding (cat:A-34).
 * paths   close-binding-reference
 * locks   installation
 * fence   the reference is open.
 * again   Binding and reference: the same again is `already-closed`.
 */
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBindingReference } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import { catalogDoors } from '../../model/paths';
import { bindingKey, type BindingRef } from './binding-rows';

export type ClosedReference = { readonly kind: 'closed' | 'already-closed' | 'no-reference' };

const ONE = `WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND binding_id = :binding_id
     AND reference_id = :reference_id`;
const CLOSE = updateRows(catBindingReference, `SET open_binding_id = NULL ${ONE} AND open_binding_id IS NOT NULL`, 'close');
const STANDING = readRows(catBindingReference, ['open_binding_id'], ONE);

/** `caller`: who says so. */
export function closeBindingReference(
  db: Db,
  ref: BindingRef & { readonly referenceId: string },
  caller: string,
): Promise<ClosedReference> {
  const key = { ...bindingKey(ref), reference_id: ref.referenceId };
  return db.fenced(catalogDoors['close-binding-reference'], async (tx) => {
    await lockInstallation(tx, ref.organization, ref.installation);
    if (!(await tx.cas(CLOSE, key))) return { kind: (await tx.read(STANDING, key)).length > 0 ? 'already-closed' : 'no-reference' };
    const details = { binding_id: ref.bindingId, reference_id: ref.referenceId };
    await audit(tx, { caller, subject: ref.installation, details });
    return { kind: 'closed' };
  });
}
