import type { Digest } from '@connector/kernel/digest';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catAppRelease, catComponentOwner, catMetadataBundle } from '@connector/schema/catalog/registry';

const RELEASE = readQuery(
  catAppRelease,
  {
    publisher_id: catAppRelease.columns.publisher_id,
    manifest: catAppRelease.columns.manifest,
    bundle: catMetadataBundle.columns.bytes,
  },
  `SELECT r.publisher_id, r.manifest, b.bytes AS bundle
     FROM cat_app_release r JOIN cat_metadata_bundle b ON b.bundle_digest = r.bundle_digest
    WHERE r.app_id = :app_id AND r.release_digest = :release_digest`,
);
const OWNERS = readRows(catComponentOwner, ['component_id', 'app_id'], 'WHERE component_id IN (:component_id)');
const OWNERS_AT_ONCE = 500;

export interface ReleaseBytes {
  readonly publisherId: string;
  readonly manifest: Buffer;
  readonly bundle: Buffer;
}

/** The bytes of a registered release as they stand, not verified; undefined where the App has no such release. */
export async function readReleaseBytes(db: Db, appId: string, releaseDigest: Digest): Promise<ReleaseBytes | undefined> {
  const row = await db.readOne(RELEASE, { app_id: appId, release_digest: releaseDigest });
  return row && { publisherId: row.publisher_id, manifest: row.manifest, bundle: row.bundle };
}

/** Which App owns each of these components; one that nobody owns is absent. Ownership is written once (cat:BUN-21). */
export async function readComponentOwners(db: Db, components: readonly Digest[]): Promise<ReadonlyMap<Digest, string>> {
  const owners = new Map<Digest, string>();
  for (let at = 0; at < components.length; at += OWNERS_AT_ONCE) {
    const rows = await db.read(OWNERS, { component_id: components.slice(at, at + OWNERS_AT_ONCE) });
    for (const row of rows) owners.set(row.component_id, row.app_id);
  }
  return owners;
}
