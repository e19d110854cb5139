import type { Instant } from '@connector/kernel/brand';
import { instant } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import { lockRows, readQuery, readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catKeyRevocation, catPublisher, catPublisherKey } from '@connector/schema/catalog/registry';
import { PublisherId } from '../model/identifier';
import { KeyId, type PublisherKey } from '../model/signing';

const PUBLISHER = lockRows(catPublisher, ['publisher_id'], 'WHERE publisher_id IN (:publisher_id)');
const CLOCK = readQuery(
  catPublisher,
  { now: instant() },
  `SELECT NOW(6) AS now FROM ${catPublisher.name} WHERE publisher_id = :publisher_id`,
  'clock',
);
const KEY = readRows(catPublisherKey, ['publisher_id', 'public_key', 'valid_from', 'valid_until'], 'WHERE key_id = :key_id');
type KeyRow = ReturnType<typeof KEY.decode>;
const REVOKED = readRows(catKeyRevocation, ['revoked_at'], 'WHERE key_id = :key_id');

/** Holds the publishers still: whoever judges a key of one and whoever adds or revokes one meet here. Those that there are, by id. */
export async function lockPublishers(tx: FencedTx, ids: readonly PublisherId[]): Promise<ReadonlySet<PublisherId>> {
  return new Set((await tx.lockMany(PUBLISHER, { publisher_id: ids })).map((row) => PublisherId.parse(row.publisher_id)));
}

/** The database's clock now, after every lock that the caller waited for (cat:A-18). The publisher is locked and there. */
export async function clockAt(tx: FencedTx, publisher: PublisherId): Promise<Instant> {
  const [row] = await tx.read(CLOCK, { publisher_id: publisher });
  invariant(row !== undefined, 'HOUSE:catalog:RowVanished', `${publisher} was locked and is not`);
  return row.now;
}

/** A key as the trust registry has it under its publisher's lock; undefined where nobody has one of this name, whatever the name is. */
export async function readKey(tx: FencedTx, keyId: string): Promise<PublisherKey | undefined> {
  const [row] = KeyId.is(keyId) ? await tx.read(KEY, { key_id: keyId }) : [];
  if (row === undefined) return undefined;
  const [revoked] = await tx.read(REVOKED, { key_id: keyId });
  return keyOf({ ...row, revoked_at: revoked?.revoked_at ?? null });
}

/** A key, from its row and the one that revokes it. */
export function keyOf(row: KeyRow & { readonly revoked_at: Instant | null }): PublisherKey {
  return {
    keyId: KeyId.of(row.public_key),
    publisherId: PublisherId.parse(row.publisher_id),
    publicKey: row.public_key,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    revokedAt: row.revoked_at,
  };
}
