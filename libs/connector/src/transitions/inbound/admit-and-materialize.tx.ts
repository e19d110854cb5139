/**
 * ADM OMAT admit-and-materialize: deliveries become Receipts and, where they are small, everything that follows from them
 *
 * why     What an epoch makes of a delivery is made in the commit that accepts it; the sweep does only what is missing.
 * paths   admit-receipts, materialize-receipts
 * fence   the standard fence on the basis that the items were extracted with: `fence-moved` when the gate names another one; read
 *         again, extract again (decisions 13.4).
 * again   Same deliveries: `redelivered` with the same receipt ids.
 */
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conMaterialization } from '@connector/schema/connector/inbound';
import { raiseWork } from '../../fences/account-work';
import { lockServingGate, type Gate, type GateBasis, type NotServing } from '../../fences/serving-gate';
import { childrenOf, type Children, type ChildScope } from '../../model/inbound/children';
import type { Delivery, Extraction, RouteRef } from '../../model/inbound/delivery';
import { connectorDoors } from '../../model/paths';
import { admitReceipts, type AdmitReceipt } from './admit-receipts.step';
import { lockLanes } from './lanes-of-items';
import { materialize } from './materialize-receipts.step';

export interface PreparedDelivery {
  readonly delivery: Delivery;
  /** The children, made before the lock; null where the sweep makes them. */
  readonly children: Children | null;
}

export type Admission = AdmitReceipt | NotServing;

/** The pure part, before any lock: ids, digests and rows of one delivery under a basis. */
export function prepareDelivery(basis: GateBasis, route: RouteRef, delivery: Delivery, extraction: Extraction): PreparedDelivery {
  if (extraction.kind === 'deferred') return { delivery, children: null };
  return { delivery, children: childrenOf(scopeOf(basis, route), delivery.receiptId, extraction.items) };
}

/** Deliveries of one channel of one account, in one transaction; an answer for each, in order (con:ADM-O, con:ADM-X). */
export function admitAndMaterialize(
  db: Db,
  basis: GateBasis,
  route: RouteRef,
  deliveries: readonly PreparedDelivery[],
): Promise<readonly Admission[]> {
  return db.fenced(connectorDoors['admit-and-materialize'], async (tx) => {
    const fence = await lockServingGate(tx, basis);
    if (fence.kind !== 'serving') return deliveries.map(() => fence);
    const answers = await admitReceipts(
      tx,
      fence.gate,
      deliveries.map(({ delivery }) => delivery),
    );
    const fresh = deliveries.filter((_, index) => answers[index]?.kind === 'admitted');
    const children = fresh.flatMap((one) => (one.children === null ? [] : [one.children]));
    const lanes = await lockLanes(tx, route, children);
    await defer(tx, fence.gate, fresh);
    await materialize(tx, scopeOf(fence.gate, route), lanes, children);
    return answers;
  });
}

async function defer(tx: FencedTx, gate: Gate, fresh: readonly PreparedDelivery[]): Promise<void> {
  const deferred = fresh.filter(({ children }) => children === null);
  await tx.insert(
    conMaterialization,
    deferred.map(({ delivery }) => ({
      receipt_id: delivery.receiptId,
      account: gate.account,
      ready_account: gate.account,
      next_ordinal: 0,
    })),
  );
  if (deferred.length > 0) await raiseWork(tx, 'materialize', [gate.account]);
}

function scopeOf(basis: GateBasis, route: RouteRef): ChildScope {
  return { account: basis.account, epochId: basis.epochId, epochDigest: basis.epochDigest, route };
}
