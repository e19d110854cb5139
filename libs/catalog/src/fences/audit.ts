import { AuditId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAudit } from '@connector/schema/catalog/request';

/** What a door did, for people: words, ids and digests; never a document, never a secret. */
export interface AuditEntry {
  readonly caller: string;
  /** What it is about, as people name it: `io.nexuscrm.sfcrm`, an organization, an installation. */
  readonly subject: string;
  readonly details: { readonly [member: string]: string | number | null };
}

/** One row for the door, in its own transaction; no decision reads it (cat:A-47). */
export async function audit(tx: FencedTx, { caller, subject, details }: AuditEntry): Promise<void> {
  await tx.insert(catAudit, [{ audit_id: AuditId.mint(), door: tx.door.name, caller, subject, details: jcs(details) }]);
}
