import type { Instant } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catAppOwnership, catAppRelease, catTransferOffer } from '@connector/schema/catalog/registry';
import type { AppId } from '../model/identifier';
import { type TransferStatement, transferStatement } from '../model/ownership-statements';
import { compareSemver, parseSemver } from '../model/semver';
import { LIST_MAX, type Most, mostOf, type Page, pageOf } from './page';

const OWNED = readRows(
  catAppOwnership,
  ['app_id', 'publisher_id', 'ownership_epoch'],
  `WHERE app_id > :app_id ORDER BY app_id LIMIT ${LIST_MAX + 1}`,
  'list',
);
const RELEASES_MAX = 100;
const RELEASES = readRows(
  catAppRelease,
  ['semantic_version', 'release_digest', 'publisher_id', 'registered_at'],
  `WHERE app_id = :app_id ORDER BY semantic_version DESC LIMIT ${RELEASES_MAX + 1}`,
  'of-app',
);
const OFFER = readRows(catTransferOffer, ['statement'], 'WHERE app_id = :app_id AND statement_digest = :statement_digest', 'shown');

export interface ListedApp {
  readonly appId: string;
  readonly publisherId: string;
  readonly ownershipEpoch: bigint;
}
export interface ListedRelease {
  readonly semanticVersion: string;
  readonly releaseDigest: Digest;
  readonly publisherId: string;
  readonly registeredAt: Instant;
}

/** Reserved Apps in bytewise order of the id; `after` as of `listPublishers`. */
export async function listApps(db: Db, limit: number, after: string): Promise<Page<ListedApp>> {
  const found = await db.read(OWNED, { app_id: after });
  const rows = found.map((row) => ({ appId: row.app_id, publisherId: row.publisher_id, ownershipEpoch: row.ownership_epoch }));
  return pageOf(rows, limit, ({ appId }) => appId);
}

/** Releases of an App by precedence, the highest first: at most 100, which are the last ones by the text of their version. */
export async function readReleasesOf(db: Db, appId: AppId): Promise<Most<ListedRelease>> {
  const { rows, more } = mostOf(await db.read(RELEASES, { app_id: appId }), RELEASES_MAX);
  const releases = rows.map((row) => ({
    ...{ semanticVersion: row.semantic_version, releaseDigest: row.release_digest },
    ...{ publisherId: row.publisher_id, registeredAt: row.registered_at },
  }));
  return { rows: releases.sort((left, right) => byPrecedence(right.semanticVersion, left.semanticVersion)), more };
}

/** Registered versions are canonical; one that were none would stay where it is. */
function byPrecedence(left: string, right: string): number {
  const [one, other] = [parseSemver(left), parseSemver(right)];
  return one === undefined || other === undefined ? 0 : compareSemver(one, other);
}

/** What the owner signed, whether it can be accepted or not; undefined where the App has no such offer. */
export async function readTransferOffer(db: Db, appId: AppId, transferId: Digest): Promise<TransferStatement | undefined> {
  const row = await db.readOne(OFFER, { app_id: appId, statement_digest: transferId });
  return row && transferStatement.parse(row.statement).value;
}
