import type { Instant } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckAudit } from '@connector/schema/packs/packs';

export interface PackAuditRecord {
  readonly door: string;
  readonly caller: string;
  readonly at: Instant;
  /** A JSON object of words, ids and digests. */
  readonly details: string;
}

const RECORDS_MAX = 200;
const OF = readRows(pckAudit, ['door', 'caller', 'at', 'details'], `WHERE subject = :subject ORDER BY at DESC LIMIT ${RECORDS_MAX}`);

/** What was done to the packs of an organization, latest first, at most 200: for people, never for a decision (cat:A-47). */
export async function readPackAudit(db: Db, organization: string): Promise<readonly PackAuditRecord[]> {
  const rows = await db.read(OF, { subject: organization });
  return rows.map(({ door, caller, at, details }) => ({ door, caller, at, details: details.toString('utf8') }));
}
