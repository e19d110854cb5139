import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { ReceiptId } from '@connector/kernel/ids';
import type { OrderingContract } from '../ordering/contract';
import type { SourcePosition } from '../ordering/position';

/** The route that a channel feeds, as its epoch froze it. */
export interface RouteRef {
  readonly identity: Digest;
  readonly packGenerationStorageId: string;
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly ordering: OrderingContract;
}

/** Where an item stands in the source's order, as the pack read it. */
export interface ItemOrder {
  /** The pack's own key; the account is put before it here (con:OPEN-12). */
  readonly partition: Buffer;
  readonly position: SourcePosition;
  /** Null where the contract has none. */
  readonly tieBreaker: SourcePosition | null;
}

/** An item that the frozen route could read (L1 work, done before any lock; decisions 13.4). */
export interface ExtractedItem {
  readonly kind: 'item';
  readonly ordinal: number;
  /** The JCS of the item. */
  readonly bytes: Buffer;
  readonly eventKind: string;
  readonly sourceEventKey: Buffer;
  readonly occurredAt: string | null;
  readonly orderingContractDigest: Digest;
  /** Null where order does not matter. */
  readonly order: ItemOrder | null;
  /** The JCS of the mapped input. */
  readonly input: Buffer;
}

/** An item, or with the ordinal `WHOLE_BODY` a body, that could not be read; the message is the pack's own and holds no payload. */
export interface RefusedItem {
  readonly kind: 'refused';
  readonly ordinal: number;
  readonly code: string;
  readonly message: string;
}

/** What a route made of a body; `deferred` where it holds more than is materialized in the admission transaction. */
export type Extraction =
  { readonly kind: 'items'; readonly items: readonly (ExtractedItem | RefusedItem)[] } | { readonly kind: 'deferred' };

/** One verified delivery of one channel, prepared against a gate basis; the receipt id is minted before the first try. */
export interface Delivery {
  readonly account: AccountName;
  readonly channel: string;
  readonly transportKey: string;
  readonly receiptId: ReceiptId;
  readonly payload: Buffer;
  readonly payloadDigest: Digest;
  /** JCS of the headers that the route names and that were sent; null where it names none. */
  readonly headers: Buffer | null;
  /** The key version that matched, and the fence of the key set that it was taken from (decisions 13.10). */
  readonly keyVersion: number;
  readonly keyFence: ChannelKeyFence;
}

/** A body with more items is stored alone and materialized by the sweep. */
export const COMPONENTS_AT_ADMISSION_MAX = 200;

/**
 * Of the bodies that were refused under the key of one receipt so many are kept. A sender that puts one key on everything it sends would add
 * a row with every delivery for ever; the first sixteen show that it does.
 */
export const CONFLICTS_OF_RECEIPT_MAX = 16;

/** The ordinal of a refusal that is about the whole body. */
export const WHOLE_BODY = 4_294_967_295;
/** One MiB of body at most; the account's policy may say less (con:OPEN-50). */
export const BODY_BYTES_MAX = 1_048_576;
