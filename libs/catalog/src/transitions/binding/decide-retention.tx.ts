/**
 * decide-retention: a draining binding need not be kept for what still refers to it
 *
 * why     A reference whose owner is gone would keep a binding for ever; a person decides, and it is written who and why (cat:BIND-11).
 * paths   decide-retention
 * locks   installation, binding
 * fence   the binding DRAINING: of what serves nobody decides that it may go.
 * again   The request key; a decision that stands is `already-decided`.
 */
import type { Db } from '@connector/platform/db/db';
import { readRows } from '@connector/kernel/statement';
import { catBindingRetention } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import { keepRequest, recallRequest } from '../../fences/request';
import type { BindingState } from '../../model/installation/binding';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { bindingKey, type BindingRef, lockBinding } from './binding-rows';

export type DecidedRetention =
  | { readonly kind: 'decided' | 'no-binding' }
  | { readonly kind: 'already-decided'; readonly decidedBy: string }
  | { readonly kind: 'not-draining'; readonly state: BindingState };

const STANDING = readRows(
  catBindingRetention,
  ['decided_by'],
  'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND binding_id = :binding_id',
);

export function decideRetention(db: Db, ref: BindingRef & { readonly reason: string }, request: RequestKey): Promise<DecidedRetention> {
  return db.fenced(catalogDoors['decide-retention'], async (tx) => {
    const row = await lockInstallation(tx, ref.organization, ref.installation);
    const before = await recallRequest<DecidedRetention>(tx, request);
    if (before !== undefined) return before;
    const binding = row && (await lockBinding(tx, ref));
    if (binding === undefined) return { kind: 'no-binding' };
    if (binding.state !== 'DRAINING') return { kind: 'not-draining', state: binding.state };
    const decision = { ...bindingKey(ref), decided_by: request.caller, reason: ref.reason };
    if ((await tx.insertNew(catBindingRetention, decision)) !== 'inserted') {
      const [standing] = await tx.read(STANDING, bindingKey(ref));
      return { kind: 'already-decided', decidedBy: standing?.decided_by ?? '' };
    }
    await audit(tx, { caller: request.caller, subject: ref.installation, details: { binding_id: ref.bindingId, reason: ref.reason } });
    return keepRequest(tx, request, { kind: 'decided' });
  });
}
