/**
 * add-publisher-key: a signing key that is accepted for a publisher, from one instant until another
 *
 * why     A key speaks for a publisher because the operator says so, and for one publisher alone (cat:PUB-03).
 * paths   add-publisher-key
 * locks   publisher
 * fence   the primary key, which is the digest of the key. Insert-only: a window does not move, a revocation closes it.
 * again   The request key; the key id: the same key with the same window again is the key that stands, unless it was revoked: no key comes back.
 */
import type { Instant } from '@connector/kernel/brand';
import { InputFault, invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catKeyRevocation, catPublisherKey } from '@connector/schema/catalog/registry';
import { audit } from '../../fences/audit';
import { lockPublishers } from '../../fences/publisher';
import { keepRequest, recallRequest } from '../../fences/request';
import { PublisherId } from '../../model/identifier';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { KeyId, requireSoundKey } from '../../model/signing';

export interface AddPublisherKey {
  readonly publisherId: PublisherId;
  /** 32 raw bytes of an Ed25519 key. */
  readonly publicKey: Buffer;
  readonly validFrom: Instant;
  /** The first instant at which it is not accepted any more; null: none. */
  readonly validUntil: Instant | null;
}
export type AddedPublisherKey =
  | { readonly kind: 'added' | 'already-added'; readonly keyId: KeyId }
  | { readonly kind: 'unknown-publisher'; readonly publisherId: PublisherId }
  /** The key stands, and speaks for nobody any more: the publisher needs another one (cat:A-18). */
  | {
      readonly kind: 'key-revoked';
      readonly keyId: KeyId;
      readonly revokedAt: Instant;
      readonly revokedBy: string;
      readonly reason: string;
    }
  /** The key stands with another window, or for another publisher. */
  | {
      readonly kind: 'conflicting-key';
      readonly keyId: KeyId;
      readonly publisherId: PublisherId;
      readonly validFrom: Instant;
      readonly validUntil: Instant | null;
    };

const STANDING = readRows(catPublisherKey, ['publisher_id', 'valid_from', 'valid_until'], 'WHERE key_id = :key_id');
const REVOKED = readRows(catKeyRevocation, ['revoked_at', 'revoked_by', 'reason'], 'WHERE key_id = :key_id');

export async function addPublisherKey(db: Db, input: AddPublisherKey, request: RequestKey): Promise<AddedPublisherKey> {
  const { publisherId, publicKey, validFrom, validUntil } = input;
  const keyId = KeyId.of(publicKey);
  requireSoundKey(publicKey);
  if (validUntil !== null && validUntil <= validFrom)
    throw new InputFault('HOUSE:catalog:KeyWindow', 'a key is accepted from an instant before the one at which its window ends');
  return db.fenced(catalogDoors['add-publisher-key'], async (tx) => {
    const known = await lockPublishers(tx, [publisherId]);
    const before = await recallRequest<AddedPublisherKey>(tx, request);
    if (before !== undefined) return before;
    if (!known.has(publisherId)) return { kind: 'unknown-publisher', publisherId };
    const row = { key_id: keyId, publisher_id: publisherId, public_key: publicKey, valid_from: validFrom, valid_until: validUntil };
    if ((await tx.insertNew(catPublisherKey, row)) !== 'inserted') return standing(tx, keyId, input);
    await audit(tx, {
      caller: request.caller,
      subject: publisherId,
      details: { key_id: keyId, valid_from: validFrom, valid_until: validUntil },
    });
    return keepRequest(tx, request, { kind: 'added', keyId });
  });
}

async function standing(tx: FencedTx, keyId: KeyId, wanted: AddPublisherKey): Promise<AddedPublisherKey> {
  const [row] = await tx.read(STANDING, { key_id: keyId });
  invariant(row !== undefined, 'HOUSE:catalog:RowVanished', 'a key was there and is not');
  const stands = { publisherId: PublisherId.parse(row.publisher_id), validFrom: row.valid_from, validUntil: row.valid_until };
  const [revoked] = await tx.read(REVOKED, { key_id: keyId });
  if (revoked !== undefined && stands.publisherId === wanted.publisherId)
    return { kind: 'key-revoked', keyId, revokedAt: revoked.revoked_at, revokedBy: revoked.revoked_by, reason: revoked.reason };
  const same =
    stands.publisherId === wanted.publisherId && stands.validFrom === wanted.validFrom && stands.validUntil === wanted.validUntil;
  return same ? { kind: 'already-added', keyId } : { kind: 'conflicting-key', keyId, ...stands };
}
