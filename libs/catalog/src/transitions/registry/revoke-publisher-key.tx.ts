/**
 * revoke-publisher-key: a key that speaks for nobody any more
 *
 * why     A compromised key may sign nothing further; what it signed before was judged then and stays (cat:A-18).
 * paths   revoke-publisher-key
 * locks   publisher: a registration that judges the key has committed, or sees the revocation
 * fence   the primary key; the first revocation stands
 * again   The request key; the key id.
 */
import type { Db } from '@connector/platform/db/db';
import { catKeyRevocation } from '@connector/schema/catalog/registry';
import { audit } from '../../fences/audit';
import { lockPublishers, readKey } from '../../fences/publisher';
import { keepRequest, recallRequest } from '../../fences/request';
import type { PublisherId } from '../../model/identifier';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import type { KeyId } from '../../model/signing';

export interface RevokePublisherKey {
  readonly publisherId: PublisherId;
  readonly keyId: KeyId;
  /** At most 256 bytes, for people. */
  readonly reason: string;
}
export interface RevokedPublisherKey {
  /** `unknown-key`: the publisher has no such key. */
  readonly kind: 'revoked' | 'already-revoked' | 'unknown-key';
  readonly keyId: KeyId;
}

export function revokePublisherKey(db: Db, input: RevokePublisherKey, request: RequestKey): Promise<RevokedPublisherKey> {
  const { publisherId, keyId, reason } = input;
  return db.fenced(catalogDoors['revoke-publisher-key'], async (tx) => {
    await lockPublishers(tx, [publisherId]);
    const before = await recallRequest<RevokedPublisherKey>(tx, request);
    if (before !== undefined) return before;
    const key = await readKey(tx, keyId);
    if (key?.publisherId !== publisherId) return { kind: 'unknown-key', keyId };
    if (key.revokedAt !== null) return { kind: 'already-revoked', keyId };
    await tx.insert(catKeyRevocation, [{ key_id: keyId, reason, revoked_by: request.caller }]);
    await audit(tx, { caller: request.caller, subject: publisherId, details: { key_id: keyId, reason } });
    return keepRequest(tx, request, { kind: 'revoked', keyId });
  });
}
