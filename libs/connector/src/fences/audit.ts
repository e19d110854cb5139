import type { AccountName } from '@connector/kernel/brand';
import { AuditId } from '@connector/kernel/ids';
import { jcs, type Json } from '@connector/kernel/jcs';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conAuditOutbox } from '@connector/schema/connector/audit';

/** What one item of a door moved. Words and ids only: never payload, never a secret. */
export interface AuditItem {
  readonly [member: string]: string | number | null;
}

/** One row for the door, in its own transaction (con:OPEN-36). `account` is `*` where the door spans several. */
export async function audit(tx: FencedTx, account: AccountName | '*', items: readonly AuditItem[]): Promise<void> {
  const row = { audit_id: AuditId.mint(), door: tx.door.name, account: account as AccountName, items: jcs(items as Json) };
  await tx.insert(conAuditOutbox, [row]);
}
