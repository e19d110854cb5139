/**
 * accept-transfer: the operator accepts a signed offer, and the App is the new publisher's
 *
 * why     Only signature and acceptance together move an App; past releases stay as they are (cat:PUB-05, cat:PUB-07, cat:PUB-10).
 * paths   accept-transfer
 * locks   both publishers, the App: a registration under the old owner has committed, or finds the new one (cat:PUB-14)
 * fence   The offer is judged again: its owner and epoch are those of now, and its key was not revoked since. Its window was judged when it came.
 * again   The request key. An offer is good for one epoch, so a second acceptance finds the epoch moved (cat:PUB-08).
 */
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catTransferOffer } from '@connector/schema/catalog/registry';
import { lockApps } from '../../fences/app';
import { lockPublishers, readKey } from '../../fences/publisher';
import { keepRequest, recallRequest } from '../../fences/request';
import { type AppId, PublisherId } from '../../model/identifier';
import { judgeTransfer, readTransfer } from '../../model/ownership-statements';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { type MovedApp, moveOwnership, ownershipRefused, type OwnershipRefused } from './ownership-move';

export interface AcceptTransfer {
  readonly appId: AppId;
  readonly transferId: Digest;
}
export type AcceptedTransfer =
  | ({ readonly kind: 'transferred' } & MovedApp)
  | { readonly kind: 'unknown-transfer'; readonly appId: AppId; readonly transferId: Digest }
  | OwnershipRefused;

const OFFER = readRows(
  catTransferOffer,
  ['key_id', 'statement', 'signature', 'offered_at'],
  'WHERE app_id = :app_id AND statement_digest = :statement_digest',
);

export function acceptTransfer(db: Db, { appId, transferId }: AcceptTransfer, request: RequestKey): Promise<AcceptedTransfer> {
  return db.fenced(catalogDoors['accept-transfer'], async (tx) => {
    const [offer] = await tx.read(OFFER, { app_id: appId, statement_digest: transferId });
    if (offer === undefined) return { kind: 'unknown-transfer', appId, transferId };
    const statement = readTransfer(offer.statement)?.value;
    invariant(statement !== undefined, 'HOUSE:catalog:StoredStatement', 'an offer that was stored is none');
    const parties = [statement.from_publisher_id, statement.to_publisher_id].map((id) => PublisherId.parse(id));
    await lockPublishers(tx, parties);
    const before = await recallRequest<AcceptedTransfer>(tx, request);
    if (before !== undefined) return before;
    const owner = (await lockApps(tx, [appId])).get(appId);
    if (owner === undefined) return ownershipRefused('APP_UNKNOWN', appId, owner);
    const judged = judgeTransfer(owner, offer, await readKey(tx, offer.key_id), offer.offered_at);
    if (judged.kind === 'refused') return ownershipRefused(judged.code, appId, owner);
    const said = { statement: offer.statement, signature: offer.signature, statementDigest: transferId };
    const moved = await moveOwnership(tx, { kind: 'transferred', owner, judged, ...said }, request);
    return keepRequest(tx, request, { kind: 'transferred', ...moved });
  });
}
