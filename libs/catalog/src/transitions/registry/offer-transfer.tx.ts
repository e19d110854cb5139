/**
 * offer-transfer: the owner of an App signs that it gives it away
 *
 * why     A transfer needs the word of the publisher that is authorized at that moment, and moves nothing before the operator accepts it
 *         (cat:PUB-06, cat:PUB-07).
 * paths   offer-transfer
 * locks   both publishers, the App
 * fence   Signature, key window and owner under their locks; the ownership epoch in the statement makes it good for one transfer.
 * again   The request key; the digest of the statement: the same statement again is the offer that stands.
 */
import type { Digest } from '@connector/kernel/digest';
import type { Db } from '@connector/platform/db/db';
import { catTransferOffer } from '@connector/schema/catalog/registry';
import { lockApps } from '../../fences/app';
import { audit } from '../../fences/audit';
import { clockAt, lockPublishers, readKey } from '../../fences/publisher';
import { keepRequest, recallRequest } from '../../fences/request';
import { type AppId, PublisherId } from '../../model/identifier';
import { judgeTransfer, readTransfer } from '../../model/ownership-statements';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { ownershipRefused, type OwnershipRefused } from './ownership-move';

export interface OfferTransfer {
  readonly appId: AppId;
  /** Canonical bytes of a TransferStatement. */
  readonly statement: Buffer;
  /** Ed25519, 64 bytes. */
  readonly signature: Buffer;
}
export type OfferedTransfer =
  | {
      readonly kind: 'offered' | 'already-offered';
      readonly appId: AppId;
      /** The digest of the statement: what an acceptance names. */
      readonly transferId: Digest;
      readonly newPublisherId: PublisherId;
      readonly expectedOwnershipEpoch: bigint;
    }
  | OwnershipRefused;

export async function offerTransfer(db: Db, input: OfferTransfer, request: RequestKey): Promise<OfferedTransfer> {
  const { appId, statement, signature } = input;
  const read = readTransfer(statement);
  if (read === undefined || !PublisherId.is(read.value.to_publisher_id) || !PublisherId.is(read.value.from_publisher_id))
    return ownershipRefused('STATEMENT_SHAPE', appId, undefined);
  const { from_publisher_id: from, to_publisher_id: to, key_id: keyId } = read.value;
  return db.fenced(catalogDoors['offer-transfer'], async (tx) => {
    const known = await lockPublishers(tx, [PublisherId.parse(from), PublisherId.parse(to)]);
    const before = await recallRequest<OfferedTransfer>(tx, request);
    if (before !== undefined) return before;
    const owner = (await lockApps(tx, [appId])).get(appId);
    if (owner === undefined) return ownershipRefused('APP_UNKNOWN', appId, owner);
    const toPublisherId = PublisherId.parse(to);
    if (!known.has(toPublisherId)) return ownershipRefused('PUBLISHER_UNKNOWN', appId, owner);
    const judged = judgeTransfer(owner, input, await readKey(tx, keyId), await clockAt(tx, toPublisherId));
    if (judged.kind === 'refused') return ownershipRefused(judged.code, appId, owner);
    const expected = owner.ownershipEpoch;
    const offer = { appId, transferId: read.digest, newPublisherId: toPublisherId, expectedOwnershipEpoch: expected };
    const row = { app_id: appId, statement_digest: read.digest, new_publisher_id: to, ownership_epoch: expected, key_id: keyId };
    if ((await tx.insertNew(catTransferOffer, { ...row, statement, signature })) !== 'inserted')
      return { kind: 'already-offered', ...offer };
    await audit(tx, { caller: request.caller, subject: appId, details: { new: to, epoch: `${expected}`, transfer_id: read.digest } });
    return keepRequest(tx, request, { kind: 'offered', ...offer });
  });
}
