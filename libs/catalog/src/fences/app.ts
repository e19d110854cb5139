import { lockRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAppOwnership } from '@connector/schema/catalog/registry';
import { AppId, PublisherId } from '../model/identifier';
import type { AppOwner } from '../model/ownership-statements';

const OWNERS = lockRows(catAppOwnership, ['app_id', 'publisher_id', 'ownership_epoch'], 'WHERE app_id IN (:app_id)');

/** Holds Apps still: registration and transfer of one App meet on its row (cat:PUB-14). Those that are reserved, by id. */
export async function lockApps(tx: FencedTx, ids: readonly AppId[]): Promise<ReadonlyMap<AppId, AppOwner>> {
  const rows = await tx.lockMany(OWNERS, { app_id: ids });
  const owners = rows.map((row) => ({
    appId: AppId.parse(row.app_id),
    publisherId: PublisherId.parse(row.publisher_id),
    ownershipEpoch: row.ownership_epoch,
  }));
  return new Map(owners.map((owner) => [owner.appId, owner]));
}
