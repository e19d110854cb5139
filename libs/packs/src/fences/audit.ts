import { AuditId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { pckAudit } from '@connector/schema/packs/packs';

/** What a door did, for people: words, ids and digests; never a document. */
export interface AuditEntry {
  readonly caller: string;
  /** Whose packs these are: the barrier and the installation of a pack are the organization's. */
  readonly organization: string;
  readonly details: { readonly [member: string]: string };
}

/** One row for the door, in its own transaction; no decision reads it (cat:A-47). */
export async function audit(tx: FencedTx, { caller, organization: subject, details }: AuditEntry): Promise<void> {
  await tx.insert(pckAudit, [{ audit_id: AuditId.mint(), door: tx.door.name, caller, subject, details: jcs(details) }]);
}
