import type { Digest } from '@connector/kernel/digest';
import type { ReceiptId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { NewRow } from '@connector/kernel/table';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conConflictingRedelivery } from '@connector/schema/connector/inbound';
import { CONFLICTS_OF_RECEIPT_MAX } from '../../model/inbound/delivery';

const KEPT = readRows(conConflictingRedelivery, ['receipt_id', 'payload_digest'], 'WHERE receipt_id IN (:receipt_id)');

type Conflict = NewRow<typeof conConflictingRedelivery>;

/**
 * Once per receipt and refused bytes, at most sixteen a receipt: beyond that a conflict is answered and counted alone. What is absent may
 * decide: every writer of these rows holds the gate of the receipt's account.
 */
export async function keepConflicts(tx: FencedTx, conflicts: readonly Conflict[]): Promise<void> {
  if (conflicts.length === 0) return;
  const kept = new Map<ReceiptId, Set<Digest>>(conflicts.map(({ receipt_id: receiptId }) => [receiptId, new Set()]));
  for (const row of await tx.read(KEPT, { receipt_id: [...kept.keys()] })) kept.get(row.receipt_id)?.add(row.payload_digest);
  const fresh = conflicts.filter(({ receipt_id: receiptId, payload_digest: digest }) => {
    const digests = kept.get(receiptId);
    if (digests === undefined || digests.has(digest) || digests.size >= CONFLICTS_OF_RECEIPT_MAX) return false;
    digests.add(digest);
    return true;
  });
  await tx.insert(conConflictingRedelivery, fresh);
}
