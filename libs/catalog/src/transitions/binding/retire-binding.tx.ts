/**
 * retire-binding: a draining binding is history
 *
 * why     A route or work that still refers to a binding needs it; it is let go by evidence or by an explicit decision, never by time (cat:BIND-11).
 * paths   pass-barrier, retire-binding
 * locks   barrier, installation, binding
 * fence   the binding DRAINING, with no open reference or with a decision on its retention.
 * again   The request key.
 */
import { invariant } from '@connector/kernel/faults';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBindingReference, catBindingRetention, catBindingState } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import { keepRequest, recallRequest } from '../../fences/request';
import type { BindingState } from '../../model/installation/binding';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { bindingKey, type BindingRef, lockBinding } from './binding-rows';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export type RetiredBinding =
  | { readonly kind: 'retired' | 'no-binding' }
  | { readonly kind: 'not-draining'; readonly state: BindingState }
  /** At most ten of them. */
  | { readonly kind: 'still-referred-to'; readonly references: readonly string[] }
  | BarrierHeld;

const OPEN = readRows(
  catBindingReference,
  ['reference_id'],
  `WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND open_binding_id = :open_binding_id
   ORDER BY reference_id LIMIT 10`,
  'open',
);
const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND binding_id = :binding_id';
const DECIDED = readRows(catBindingRetention, ['decided_at'], ONE);
const RETIRE = updateRows(catBindingState, `SET state = 'RETIRED' ${ONE} AND state = 'DRAINING'`, 'retire');

export function retireBinding(db: Db, ref: BindingRef, request: RequestKey): Promise<RetiredBinding> {
  const key = bindingKey(ref);
  return db.fenced(catalogDoors['retire-binding'], async (tx) => {
    const held = await passBarrier(tx, ref);
    if (held !== undefined) return held;
    const row = await lockInstallation(tx, ref.organization, ref.installation);
    const before = await recallRequest<RetiredBinding>(tx, request);
    if (before !== undefined) return before;
    const binding = row && (await lockBinding(tx, ref));
    if (binding === undefined) return { kind: 'no-binding' };
    if (binding.state !== 'DRAINING') return { kind: 'not-draining', state: binding.state };
    const { binding_id: open_binding_id, ...installation } = key;
    const open = (await tx.read(OPEN, { ...installation, open_binding_id })).map(({ reference_id: reference }) => reference);
    const decided = open.length > 0 && (await tx.read(DECIDED, key)).length > 0;
    if (open.length > 0 && !decided) return { kind: 'still-referred-to', references: open };
    invariant(await tx.cas(RETIRE, key), 'HOUSE:catalog:CasUnexplained', 'a locked binding moved');
    await audit(tx, {
      caller: request.caller,
      subject: ref.installation,
      details: { binding_id: ref.bindingId, open_references: open.length },
    });
    return keepRequest(tx, request, { kind: 'retired' });
  });
}
