/**
 * OMAT materialize-receipts: the next items of a receipt that was stored alone
 *
 * why     A body with many items is accepted in one short transaction; its children follow in chunks, in order, each whole.
 * paths   materialize-receipts
 * fence   the standard fence; the receipt's own epoch is the gate's (con:CHN-05); the chunk begins where the row says.
 * again   Same chunk: `moved`, because the row has gone past it.
 */
import type { ReceiptId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import { int } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { conMaterialization } from '@connector/schema/connector/inbound';
import { lockServingGate, type GateBasis, type NotServing } from '../../fences/serving-gate';
import { childrenOf } from '../../model/inbound/children';
import type { ExtractedItem, RefusedItem, RouteRef } from '../../model/inbound/delivery';
import { connectorDoors } from '../../model/paths';
import { lockLanes } from './lanes-of-items';
import { materialize, type Materialized } from './materialize-receipts.step';

export interface MaterializeChunk {
  readonly receiptId: ReceiptId;
  readonly route: RouteRef;
  /** The ordinal of the first item, and of the first one after the last. */
  readonly from: number;
  readonly next: number;
  readonly last: boolean;
  readonly items: readonly (ExtractedItem | RefusedItem)[];
}

export type MaterializeReceipt =
  ({ readonly kind: 'materialized' } & Materialized) | { readonly kind: 'moved'; readonly nextOrdinal: number | null } | NotServing;

const PROGRESS = lockRows(conMaterialization, ['ready_account', 'next_ordinal'], 'WHERE receipt_id = :receipt_id');
const ADVANCE = updateRows(
  conMaterialization,
  'SET next_ordinal = :next_ordinal.next, ready_account = :ready_account WHERE receipt_id = :receipt_id AND next_ordinal = :next_ordinal AND ready_account IS NOT NULL',
  '',
  { next_ordinal: int() },
);

export function materializeReceipt(db: Db, basis: GateBasis, chunk: MaterializeChunk): Promise<MaterializeReceipt> {
  return db.fenced(connectorDoors['materialize-receipts'], async (tx) => {
    const fence = await lockServingGate(tx, basis);
    if (fence.kind !== 'serving') return fence;
    const scope = { account: basis.account, epochId: basis.epochId, epochDigest: basis.epochDigest, route: chunk.route };
    const children = [childrenOf(scope, chunk.receiptId, chunk.items)];
    const lanes = await lockLanes(tx, chunk.route, children);
    const row = await tx.lock(PROGRESS, { receipt_id: chunk.receiptId });
    if (row === undefined || row.ready_account === null) return { kind: 'moved', nextOrdinal: null };
    if (row.next_ordinal !== chunk.from) return { kind: 'moved', nextOrdinal: row.next_ordinal };
    const done = await materialize(tx, scope, lanes, children);
    const landed = await tx.cas(ADVANCE, {
      receipt_id: chunk.receiptId,
      next_ordinal: chunk.from,
      'next_ordinal.next': chunk.next,
      ready_account: chunk.last ? null : basis.account,
    });
    invariant(landed, 'HOUSE:connector:CasUnexplained', `materialize ${chunk.receiptId} from ${chunk.from}`);
    return { kind: 'materialized', ...done };
  });
}
