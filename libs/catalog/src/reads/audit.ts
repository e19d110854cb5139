import type { Instant } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catAudit } from '@connector/schema/catalog/request';

export interface AuditRecord {
  readonly door: string;
  readonly caller: string;
  readonly at: Instant;
  /** A JSON object of words, ids and digests. */
  readonly details: string;
}

const RECORDS_MAX = 200;
const OF = readRows(catAudit, ['door', 'caller', 'at', 'details'], `WHERE subject = :subject ORDER BY at DESC LIMIT ${RECORDS_MAX}`);

/** What was done about a subject, latest first, at most 200: for people, never for a decision (cat:A-47). */
export async function readAudit(db: Db, subject: string): Promise<readonly AuditRecord[]> {
  const rows = await db.read(OF, { subject });
  return rows.map(({ door, caller, at, details }) => ({ door, caller, at, details: details.toString('utf8') }));
}
