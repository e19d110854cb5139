/**
 * take-over-capability: a staged binding serves its capability under the next ownership epoch, and the one before drains
 *
 * why     Of two activations one wins by the epoch that it saw; both bindings move in one commit, so there are never two and never none
 *         (cat:BIND-05, cat:BIND-07, cat:BIND-09).
 * locks   ownership head; the caller holds the lineage row, the installation's row and the binding.
 * fence   the head at the epoch that the asker saw. Every capability that a release declares was bound when it was published (cat:PREP-10), so the
 *         head is there, and one binding is ACTIVE under it.
 * writes  cat_ownership_head, cat_binding_state, cat_lineage and cat_revision: one revision more.
 */
import { invariant } from '@connector/kernel/faults';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catOwnershipHead } from '@connector/schema/catalog/installations';
import { type LockedLineage, takeRevision } from '../../fences/lineage';
import { switchBinding } from '../installation/activate-bindings';
import type { BindingRef } from './binding-rows';

export interface TakeOver extends BindingRef {
  readonly capabilityId: string;
  /** Of the capability, as the asker saw it. */
  readonly expectedOwnershipEpoch: bigint;
}
export type TookOver =
  | { readonly kind: 'activated'; readonly ownershipEpoch: bigint; readonly catalogRevision: bigint }
  | { readonly kind: 'ownership-epoch-stale'; readonly ownershipEpoch: bigint };

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND capability_id = :capability_id';
const HEAD = lockRows(catOwnershipHead, ['ownership_epoch'], ONE);
const RAISE = updateRows(catOwnershipHead, `SET ownership_epoch = :ownership_epoch.next ${ONE} AND ownership_epoch = :ownership_epoch`);

export async function takeOverCapability(tx: FencedTx, lineage: LockedLineage, input: TakeOver): Promise<TookOver> {
  const { organization, installation, bindingId, capabilityId } = input;
  const key = { organization_id: organization, app_installation_id: installation, capability_id: capabilityId };
  const head = await tx.lock(HEAD, key);
  invariant(head !== undefined, 'HOUSE:catalog:OwnershipHeadMissing', `nothing was ever ACTIVE for ${capabilityId} of ${installation}`);
  const from = head.ownership_epoch;
  if (from !== input.expectedOwnershipEpoch) return { kind: 'ownership-epoch-stale', ownershipEpoch: from };
  const ownershipEpoch = from + 1n;
  const raised = await tx.cas(RAISE, { ...key, ownership_epoch: from, 'ownership_epoch.next': ownershipEpoch });
  invariant(raised, 'HOUSE:catalog:CasUnexplained', 'a locked ownership head moved');
  await switchBinding(tx, key, bindingId);
  return { kind: 'activated', ownershipEpoch, catalogRevision: await takeRevision(tx, lineage, { cause: 'binding', installation }) };
}
