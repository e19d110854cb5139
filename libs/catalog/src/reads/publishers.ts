import type { Instant } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catKeyRevocation, catPublisher, catPublisherKey, catPublisherPrefix } from '@connector/schema/catalog/registry';
import type { PublisherId } from '../model/identifier';
import type { KeyId } from '../model/signing';
import type { RowOf } from '@connector/kernel/table';
import { LIST_MAX, mostOf, type Page, pageOf } from './page';

/** Of one publisher: prefixes and keys. */
const OF_ONE_MAX = 100;

const COLUMNS = ['publisher_id', 'registered_at'] as const;
const LIST = readRows(catPublisher, COLUMNS, `WHERE publisher_id > :publisher_id ORDER BY publisher_id LIMIT ${LIST_MAX + 1}`, 'list');
const ONE = readRows(catPublisher, COLUMNS, 'WHERE publisher_id = :publisher_id', 'one');
const PREFIXES = readRows(
  catPublisherPrefix,
  ['app_prefix'],
  `WHERE publisher_id = :publisher_id ORDER BY app_prefix LIMIT ${OF_ONE_MAX}`,
  'of-publisher',
);
const KEY_COLUMNS = ['key_id', 'valid_from', 'valid_until', 'added_at'] as const;
const KEYS = readRows(
  catPublisherKey,
  KEY_COLUMNS,
  `WHERE publisher_id = :publisher_id ORDER BY added_at DESC LIMIT ${OF_ONE_MAX + 1}`,
  'of-publisher',
);
const KEY = readRows(catPublisherKey, KEY_COLUMNS, 'WHERE key_id = :key_id AND publisher_id = :publisher_id', 'one');
const REVOKED = readRows(catKeyRevocation, ['key_id', 'revoked_at', 'reason'], `WHERE key_id IN (:key_id) LIMIT ${OF_ONE_MAX}`, 'of-keys');

export interface ListedPublisher {
  readonly publisherId: string;
  readonly registeredAt: Instant;
}
export interface ShownKey {
  readonly keyId: string;
  readonly validFrom: Instant;
  readonly validUntil: Instant | null;
  readonly addedAt: Instant;
  readonly revokedAt: Instant | null;
  readonly reason: string | null;
}
export interface ShownPublisher extends ListedPublisher {
  /** Where it may reserve AppIDs (cat:A-23). */
  readonly appPrefixes: readonly string[];
  /** Newest first, at most 100. */
  readonly keys: readonly ShownKey[];
  /** Whether it has others, which their ids name. */
  readonly more: boolean;
}
/** In bytewise order of the id; `after` is the last one that was seen, the empty text before the first. */
export async function listPublishers(db: Db, limit: number, after: string): Promise<Page<ListedPublisher>> {
  const found = await db.read(LIST, { publisher_id: after });
  return pageOf(found.map(listed), limit, ({ publisherId }) => publisherId);
}

/** undefined where the operator registered none of this id. */
export async function readPublisher(db: Db, publisherId: PublisherId): Promise<ShownPublisher | undefined> {
  const key = { publisher_id: publisherId };
  const row = await db.readOne(ONE, key);
  if (row === undefined) return undefined;
  const prefixes = await db.read(PREFIXES, key);
  const { rows: keys, more } = mostOf(await db.read(KEYS, key), OF_ONE_MAX);
  return { ...listed(row), appPrefixes: prefixes.map((one) => one.app_prefix), keys: await shownKeys(db, keys), more };
}

/** Any key of a publisher, whether it is among those that are shown of it or not; undefined where it has none of this id. */
export async function readPublisherKey(db: Db, publisherId: PublisherId, keyId: KeyId): Promise<ShownKey | undefined> {
  return (await shownKeys(db, await db.read(KEY, { publisher_id: publisherId, key_id: keyId })))[0];
}

type KeyRow = Pick<RowOf<typeof catPublisherKey>, (typeof KEY_COLUMNS)[number]>;
async function shownKeys(db: Db, keys: readonly KeyRow[]): Promise<readonly ShownKey[]> {
  const revoked = keys.length === 0 ? [] : await db.read(REVOKED, { key_id: keys.map((one) => one.key_id) });
  const revocations = new Map(revoked.map((one) => [one.key_id, one]));
  return keys.map((one) => ({
    ...{ keyId: one.key_id, validFrom: one.valid_from, validUntil: one.valid_until, addedAt: one.added_at },
    revokedAt: revocations.get(one.key_id)?.revoked_at ?? null,
    reason: revocations.get(one.key_id)?.reason ?? null,
  }));
}

function listed(row: { readonly publisher_id: string; readonly registered_at: Instant }): ListedPublisher {
  return { publisherId: row.publisher_id, registeredAt: row.registered_at };
}
