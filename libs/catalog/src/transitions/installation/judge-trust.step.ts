/**
 * judge-trust: whether the publisher of a registered release is trusted for it
 *
 * why     A candidate is prepared under the trust that stands now: a key revoked or a release blocked meanwhile takes none (cat:PREP-01).
 * locks   publisher, app
 * fence   the publisher's row, under which its keys are revoked, and the App's, under which releases are blocked; what was registered never moves.
 * writes  nothing
 */
import type { DocumentFault } from '@connector/kernel/document-fault';
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAppRelease, catOwnershipEvent, catReleaseBlock } from '@connector/schema/catalog/registry';
import { lockApps } from '../../fences/app';
import { lockPublishers, readKey } from '../../fences/publisher';
import { AppId, PublisherId } from '../../model/identifier';
import { trustFaults } from '../../model/installation/check-trust';
import type { RegisteredRelease } from '../../model/installation/gathered';

const RELEASE = readRows(
  catAppRelease,
  ['semantic_version', 'publisher_id', 'ownership_epoch', 'key_id', 'attestation', 'signature', 'registered_at'],
  'WHERE app_id = :app_id AND release_digest = :release_digest',
  'trust',
);
const THEN = readRows(catOwnershipEvent, ['new_publisher_id'], 'WHERE app_id = :app_id AND ownership_epoch = :ownership_epoch');
const BLOCK = readRows(catReleaseBlock, ['blocked_at'], 'WHERE app_id = :app_id AND release_digest = :release_digest');

export async function judgeTrust(
  tx: FencedTx,
  { appId, releaseDigest, publisherId }: RegisteredRelease,
): Promise<readonly DocumentFault[]> {
  const publisher = PublisherId.parse(publisherId);
  await lockPublishers(tx, [publisher]);
  await lockApps(tx, [AppId.parse(appId)]);
  const key = { app_id: appId, release_digest: releaseDigest };
  const [row] = await tx.read(RELEASE, key);
  invariant(row !== undefined && row.publisher_id === publisherId, 'HOUSE:catalog:RowVanished', 'a registered release is not there');
  const [then] = await tx.read(THEN, { app_id: appId, ownership_epoch: row.ownership_epoch });
  const [block] = await tx.read(BLOCK, key);
  const release = { appId: AppId.parse(appId), publisherId: publisher, semanticVersion: row.semantic_version, releaseDigest };
  return trustFaults(release, {
    attestation: { statement: row.attestation, signature: row.signature },
    key: await readKey(tx, row.key_id),
    registeredAt: row.registered_at,
    ownershipEpoch: row.ownership_epoch,
    ownerThen: then?.new_publisher_id,
    blocked: block !== undefined,
  });
}
