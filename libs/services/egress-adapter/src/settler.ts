import type { AccountName } from '@connector/kernel/brand';
import { settlePermits, type SettleBatch, type SettlePermit } from '@connector/connector/transitions/outbound/settle-permits.tx';
import { BatchQueue } from '@connector/platform/db/batch-queue';
import type { Db } from '@connector/platform/db/db';
import { retrying } from '@connector/platform/db/retrying';
import { WHILE_WE_LIVE } from './while-we-live';
import type { Holder } from './holder-name';

export type Settlement = SettleBatch['settlements'][number];
interface Over {
  readonly account: AccountName;
  readonly holder: Holder;
  readonly settlement: Settlement;
}

const ROWS = 4;
const BYTES_AROUND = 1_024;

/**
 * Closes permits with what their calls showed, batched by account. The evidence is in memory until its COMMIT is known: this process is
 * the only witness, so it tries for as long as it lives (reliability 3.4).
 */
export class Settler {
  readonly #queue: BatchQueue<Over, SettlePermit>;

  constructor(db: Db) {
    this.#queue = new BatchQueue((_account, items) => {
      const { account, holder } = items[0] as Over;
      const settlements = items.map(({ settlement }) => settlement);
      return retrying(WHILE_WE_LIVE, () => settlePermits(db, { account, ...holder, settlements }));
    });
  }

  settle(account: AccountName, holder: Holder, settlement: Settlement): Promise<SettlePermit> {
    const bytes = BYTES_AROUND + (settlement.evidence.answer?.length ?? 0);
    return this.#queue.submit(account, { account, holder, settlement }, { rows: ROWS, bytes });
  }
}
