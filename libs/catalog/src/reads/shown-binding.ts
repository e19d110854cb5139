import { nullable } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBinding, catBindingState, catOwnershipHead } from '@connector/schema/catalog/installations';
import { type BindingState, bindingMachine } from '../model/installation/binding';

const SHOWN = readQuery(
  catBindingState,
  {
    capability_id: catBinding.columns.capability_id,
    state: catBindingState.columns.state,
    head_epoch: nullable(catOwnershipHead.columns.ownership_epoch),
  },
  `SELECT b.capability_id, s.state, h.ownership_epoch AS head_epoch
     FROM ${catBindingState.name} s
     JOIN ${catBinding.name} b ON b.organization_id = s.organization_id AND b.app_installation_id = s.app_installation_id
           AND b.binding_id = s.binding_id
     LEFT JOIN ${catOwnershipHead.name} h ON h.organization_id = b.organization_id AND h.app_installation_id = b.app_installation_id
           AND h.capability_id = b.capability_id
    WHERE s.organization_id = :organization_id AND s.app_installation_id = :app_installation_id AND s.binding_id = :binding_id`,
);

export interface ShownBinding {
  readonly capabilityId: string;
  readonly state: BindingState;
  /** The last that any binding of the capability took; 0 where nothing was ever ACTIVE (cat:BIND-07). */
  readonly headEpoch: bigint;
}

/** One binding as whoever moves it has to see it; undefined where the installation has none of this id. */
export async function readShownBinding(
  db: Db,
  organization: string,
  installation: string,
  bindingId: string,
): Promise<ShownBinding | undefined> {
  const row = await db.readOne(SHOWN, { organization_id: organization, app_installation_id: installation, binding_id: bindingId });
  return row && { capabilityId: row.capability_id, state: bindingMachine.parse(row.state), headEpoch: row.head_epoch ?? 0n };
}
