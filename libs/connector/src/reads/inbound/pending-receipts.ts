import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { ReceiptId } from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conMaterialization, conReceipt } from '@connector/schema/connector/inbound';

/** A receipt that was stored alone, and the ordinal from which its items are still to be made. */
export interface PendingReceipt {
  readonly receiptId: ReceiptId;
  readonly channel: string;
  readonly transportKey: string;
  readonly epochDigest: Digest;
  readonly payload: Buffer;
  readonly headers: Buffer | null;
  readonly nextOrdinal: number;
}

const RECEIPT = conReceipt.columns;
const PENDING = (limit: number) =>
  readQuery(
    conMaterialization,
    {
      receipt_id: RECEIPT.receipt_id,
      channel: RECEIPT.channel,
      transport_key: RECEIPT.transport_key,
      epoch_digest: RECEIPT.epoch_digest,
      payload: RECEIPT.payload,
      headers: RECEIPT.headers,
      next_ordinal: conMaterialization.columns.next_ordinal,
    },
    `SELECT m.receipt_id, r.channel, r.transport_key, r.epoch_digest, r.payload, r.headers, m.next_ordinal
       FROM con_materialization m JOIN con_receipt r ON r.receipt_id = m.receipt_id
      WHERE m.ready_account = :account ORDER BY m.receipt_id LIMIT ${limit}`,
    'pending',
  );

/** At most `limit` receipts of one account that wait for the sweep. */
export async function pendingReceipts(db: Db, account: AccountName, limit: number): Promise<readonly PendingReceipt[]> {
  const rows = await db.read(PENDING(limit), { account });
  return rows.map((row) => ({
    receiptId: row.receipt_id,
    channel: row.channel,
    transportKey: row.transport_key,
    epochDigest: row.epoch_digest,
    payload: row.payload,
    headers: row.headers,
    nextOrdinal: row.next_ordinal,
  }));
}
