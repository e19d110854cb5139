/**
 * fail-binding: a staged binding is given up
 *
 * why     What was staged and is not wanted must not be activated later by mistake (cat:BIND-06).
 * paths   pass-barrier, fail-binding
 * locks   barrier, installation, binding
 * fence   the binding STAGED.
 * again   The request key.
 */
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBindingState } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import { keepRequest, recallRequest } from '../../fences/request';
import type { BindingState } from '../../model/installation/binding';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { bindingKey, type BindingRef, lockBinding } from './binding-rows';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export type FailedBinding =
  | { readonly kind: 'failed' | 'no-binding' }
  | { readonly kind: 'not-staged'; readonly state: BindingState }
  /** The open publication of the installation staged it, and decides about it. */
  | { readonly kind: 'publication-open' }
  | BarrierHeld;

const FAIL = updateRows(
  catBindingState,
  `SET state = 'FAILED' WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id
     AND binding_id = :binding_id AND state = 'STAGED'`,
  'fail',
);

export function failBinding(db: Db, ref: BindingRef, request: RequestKey): Promise<FailedBinding> {
  return db.fenced(catalogDoors['fail-binding'], async (tx) => {
    const held = await passBarrier(tx, ref);
    if (held !== undefined) return held;
    const row = await lockInstallation(tx, ref.organization, ref.installation);
    const before = await recallRequest<FailedBinding>(tx, request);
    if (before !== undefined) return before;
    const binding = row && (await lockBinding(tx, ref));
    if (row === undefined || binding === undefined) return { kind: 'no-binding' };
    if (binding.state !== 'STAGED') return { kind: 'not-staged', state: binding.state };
    if (row.candidate_release_digest !== null) return { kind: 'publication-open' };
    invariant(await tx.cas(FAIL, bindingKey(ref)), 'HOUSE:catalog:CasUnexplained', 'a locked binding moved');
    await audit(tx, { caller: request.caller, subject: ref.installation, details: { binding_id: ref.bindingId } });
    return keepRequest(tx, request, { kind: 'failed' });
  });
}
