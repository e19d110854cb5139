import type { ReceiptId } from '@connector/kernel/ids';
import { COMPONENTS_AT_ADMISSION_MAX } from '@connector/connector/model/inbound/delivery';
import { pendingReceipts, type PendingReceipt } from '@connector/connector/reads/inbound/pending-receipts';
import { readDueWork, type DueWork } from '@connector/connector/reads/serving/due-work';
import { readGate, type SeenGate } from '@connector/connector/reads/serving/gates';
import { materializeReceipt } from '@connector/connector/transitions/inbound/materialize-receipts.tx';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { Wake } from '@connector/platform/wake/wake';
import type { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { itemsOf } from './extraction';
import { storedHeaders } from './receipt-headers';

const RECEIPTS_MAX = 20;

/** Materializes receipts that were stored alone, in chunks, only what is missing. A crash between two chunks costs nothing. */
export class MaterializeSweep {
  constructor(
    private readonly db: Db,
    private readonly views: EpochViews,
    private readonly wake: Wake,
  ) {}

  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    let worked = false;
    for (const due of await readDueWork(this.db, 'materialize')) {
      if (signal.aborted) break;
      worked = (await this.#account(due, signal)) || worked;
    }
    return worked ? 'worked' : 'idle';
  }

  async #account({ account, produced }: DueWork, signal: AbortSignal): Promise<boolean> {
    const gate = await readGate(this.db, account);
    if (gate === undefined || gate.mode !== 'v2_serving') return false;
    const pending = await pendingReceipts(this.db, account, RECEIPTS_MAX);
    for (const receipt of pending) {
      if (signal.aborted) return true;
      await this.#receipt(gate, receipt);
    }
    if (pending.length < RECEIPTS_MAX) await restWork(this.db, { stage: 'materialize', account, producedSeen: produced, dueAt: null });
    if (pending.length > 0) this.wake.emit({ stage: 'execution', account });
    return pending.length > 0;
  }

  /** A receipt keeps the epoch that admitted it; one of another epoch is left where it is (con:CHN-05). */
  async #receipt(gate: SeenGate, receipt: PendingReceipt): Promise<void> {
    if (receipt.epochDigest !== gate.epochDigest) return;
    const route = (await this.views.of(gate)).account(gate.account)?.channel(receipt.channel)?.route;
    if (route === undefined) return;
    const items = itemsOf(route, gate.account, receipt.payload, { key: receipt.transportKey, headers: storedHeaders(receipt.headers) });
    for (let from = receipt.nextOrdinal; ; from += COMPONENTS_AT_ADMISSION_MAX) {
      const next = Math.min(from + COMPONENTS_AT_ADMISSION_MAX, items.length);
      const chunk = {
        receiptId: receipt.receiptId as ReceiptId,
        route: route.ref,
        from,
        next,
        last: next >= items.length,
        items: items.slice(from, next),
      };
      const answer = await retrying(ANSWER_SOON, () => materializeReceipt(this.db, gate, chunk));
      if (answer.kind !== 'materialized' || chunk.last) return;
    }
  }
}
