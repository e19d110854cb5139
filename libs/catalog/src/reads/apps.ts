import type { Digest } from '@connector/kernel/digest';
import type { Instant } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catApp, catAppOwnership, catOwnershipEvent, catTransferOffer } from '@connector/schema/catalog/registry';
import type { AppId } from '../model/identifier';
import { mostOf } from './page';

export interface OwnershipEvent {
  readonly ownershipEpoch: bigint;
  readonly kind: string;
  readonly oldPublisherId: string | null;
  readonly newPublisherId: string;
  readonly acceptedBy: string;
  readonly at: Instant;
}
export interface App {
  readonly appId: AppId;
  /** Who reserved it, which stays whoever owns it later. */
  readonly firstPublisherId: string;
  readonly publisherId: string;
  readonly ownershipEpoch: bigint;
  /** Latest first, at most 100. */
  readonly events: readonly OwnershipEvent[];
  /** Offers of the present epoch, which alone can be accepted; at most 100. */
  readonly offers: readonly { readonly transferId: Digest; readonly newPublisherId: string; readonly offeredAt: Instant }[];
  /** Whether there are others than those. */
  readonly more: { readonly events: boolean; readonly offers: boolean };
}

const OF_ONE_MAX = 100;
const RESERVED = readRows(catApp, ['first_publisher_id'], 'WHERE app_id = :app_id');
const OWNER = readRows(catAppOwnership, ['publisher_id', 'ownership_epoch'], 'WHERE app_id = :app_id');
const EVENTS = readRows(
  catOwnershipEvent,
  ['ownership_epoch', 'kind', 'old_publisher_id', 'new_publisher_id', 'accepted_by', 'at'],
  `WHERE app_id = :app_id ORDER BY ownership_epoch DESC LIMIT ${OF_ONE_MAX + 1}`,
);
const OFFERS = readRows(
  catTransferOffer,
  ['statement_digest', 'new_publisher_id', 'offered_at'],
  `WHERE app_id = :app_id AND ownership_epoch = :ownership_epoch LIMIT ${OF_ONE_MAX + 1}`,
);

const OWNER_IN = readRows(
  catOwnershipEvent,
  ['new_publisher_id'],
  'WHERE app_id = :app_id AND ownership_epoch = :ownership_epoch',
  'owner-in',
);

/** Who owned an App in that epoch; undefined where it has had no such epoch. */
export async function readOwnerIn(db: Db, appId: AppId, ownershipEpoch: bigint): Promise<string | undefined> {
  return (await db.readOne(OWNER_IN, { app_id: appId, ownership_epoch: ownershipEpoch }))?.new_publisher_id;
}

/** Who owns an App, how it came to be, and what its owner offers; undefined where nobody reserved it. */
export async function readApp(db: Db, appId: AppId): Promise<App | undefined> {
  const [reserved, owner] = await Promise.all([db.readOne(RESERVED, { app_id: appId }), db.readOne(OWNER, { app_id: appId })]);
  if (reserved === undefined || owner === undefined) return undefined;
  const events = mostOf(await db.read(EVENTS, { app_id: appId }), OF_ONE_MAX);
  const offers = mostOf(await db.read(OFFERS, { app_id: appId, ownership_epoch: owner.ownership_epoch }), OF_ONE_MAX);
  return {
    appId,
    firstPublisherId: reserved.first_publisher_id,
    publisherId: owner.publisher_id,
    ownershipEpoch: owner.ownership_epoch,
    events: events.rows.map((row) => ({
      ownershipEpoch: row.ownership_epoch,
      kind: row.kind,
      oldPublisherId: row.old_publisher_id,
      newPublisherId: row.new_publisher_id,
      acceptedBy: row.accepted_by,
      at: row.at,
    })),
    offers: offers.rows.map((row) => ({
      transferId: row.statement_digest,
      newPublisherId: row.new_publisher_id,
      offeredAt: row.offered_at,
    })),
    more: { events: events.more, offers: offers.more },
  };
}
