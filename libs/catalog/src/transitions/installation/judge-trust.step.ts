/**
 * judge-trust: whether the publisher of a registered release is trusted for it
 *
 * why     A candidate is prepared under the trust that stands now: a key revoked or a release blocked meanwhile takes none (cat:PREP-01).
 * locks   publisher, app
 * fence   the publisher's row, under which its keys are revoked, and the App's, under which releases are blocked; what was registered never moves.
 * writes  nothing
 */
import { nullable } from '@connector/kernel/column';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { invariant } from '@connector/kernel/faults';
import { readQuery } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAppRelease, catKeyRevocation, catOwnershipEvent, catPublisherKey, catReleaseBlock } from '@connector/schema/catalog/registry';
import { lockApps } from '../../fences/app';
import { keyOf, lockPublishers } from '../../fences/publisher';
import { AppId, PublisherId } from '../../model/identifier';
import { trustFaults } from '../../model/installation/check-trust';
import type { RegisteredRelease } from '../../model/installation/gathered';
import type { PublisherKey } from '../../model/signing';

const { columns: release } = catAppRelease;
const { columns: key } = catPublisherKey;
/** One row a release: each table is joined by its whole key. */
const TRUST = readQuery(
  catAppRelease,
  {
    semantic_version: release.semantic_version,
    publisher_id: release.publisher_id,
    ownership_epoch: release.ownership_epoch,
    attestation: release.attestation,
    signature: release.signature,
    registered_at: release.registered_at,
    owner_then: nullable(catOwnershipEvent.columns.new_publisher_id),
    signer_id: nullable(key.publisher_id),
    public_key: nullable(key.public_key),
    valid_from: nullable(key.valid_from),
    valid_until: key.valid_until,
    revoked_at: nullable(catKeyRevocation.columns.revoked_at),
    blocked_at: nullable(catReleaseBlock.columns.blocked_at),
  },
  `SELECT r.semantic_version, r.publisher_id, r.ownership_epoch, r.attestation, r.signature, r.registered_at,
          e.new_publisher_id AS owner_then, k.publisher_id AS signer_id, k.public_key, k.valid_from, k.valid_until, v.revoked_at, b.blocked_at
     FROM ${catAppRelease.name} r
     LEFT JOIN ${catOwnershipEvent.name} e ON e.app_id = r.app_id AND e.ownership_epoch = r.ownership_epoch
     LEFT JOIN ${catPublisherKey.name} k ON k.key_id = r.key_id
     LEFT JOIN ${catKeyRevocation.name} v ON v.key_id = r.key_id
     LEFT JOIN ${catReleaseBlock.name} b ON b.app_id = r.app_id AND b.release_digest = r.release_digest
    WHERE r.app_id = :app_id AND r.release_digest = :release_digest`,
  'trust',
);

export async function judgeTrust(
  tx: FencedTx,
  { appId, releaseDigest, publisherId }: RegisteredRelease,
): Promise<readonly DocumentFault[]> {
  const publisher = PublisherId.parse(publisherId);
  await lockPublishers(tx, [publisher]);
  await lockApps(tx, [AppId.parse(appId)]);
  const [row] = await tx.read(TRUST, { app_id: appId, release_digest: releaseDigest });
  invariant(row !== undefined && row.publisher_id === publisherId, 'HOUSE:catalog:RowVanished', 'a registered release is not there');
  const attested = { appId: AppId.parse(appId), publisherId: publisher, semanticVersion: row.semantic_version, releaseDigest };
  return trustFaults(attested, {
    attestation: { statement: row.attestation, signature: row.signature },
    key: signedBy(row),
    registeredAt: row.registered_at,
    ownershipEpoch: row.ownership_epoch,
    ownerThen: row.owner_then ?? undefined,
    blocked: row.blocked_at !== null,
  });
}

/** The key under which it was registered; undefined where nobody has one of this name. */
function signedBy({ signer_id, public_key, valid_from, ...row }: ReturnType<typeof TRUST.decode>): PublisherKey | undefined {
  if (signer_id === null || public_key === null || valid_from === null) return undefined;
  return keyOf({ publisher_id: signer_id, public_key, valid_from, valid_until: row.valid_until, revoked_at: row.revoked_at });
}
