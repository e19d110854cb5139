import type { Instant } from '@connector/kernel/brand';
import type { AuditId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckAudit } from '@connector/schema/packs/packs';

export interface PackAuditRecord {
  readonly auditId: AuditId;
  readonly door: string;
  readonly caller: string;
  readonly at: Instant;
  /** A JSON object of words, ids and digests. */
  readonly details: string;
}

const RECORDS_MAX = 200;
const COLUMNS = ['audit_id', 'door', 'caller', 'at', 'details'] as const;
const ORDER = `ORDER BY at DESC, audit_id DESC LIMIT ${RECORDS_MAX + 1}`;
const LATEST = readRows(pckAudit, COLUMNS, `WHERE subject = :subject ${ORDER}`, 'latest');
const PLACE = readRows(pckAudit, ['at'], 'WHERE audit_id = :audit_id AND subject = :subject', 'place');
const BEHIND = readRows(
  pckAudit,
  COLUMNS,
  `WHERE subject = :subject AND (at < :at OR (at = :at AND audit_id < :audit_id)) ${ORDER}`,
  'behind',
);

/** When this record of the organization was written; undefined where there is none of that id. */
export async function readPackAuditPlace(db: Db, organization: string, auditId: AuditId): Promise<Instant | undefined> {
  return (await db.readOne(PLACE, { audit_id: auditId, subject: organization }))?.at;
}

/** What was done to the packs of an organization, latest first, at most 201: for people, never for a decision (cat:A-47). `behind`: earlier than this place. */
export async function readPackAudit(
  db: Db,
  organization: string,
  behind?: Pick<PackAuditRecord, 'at' | 'auditId'>,
): Promise<readonly PackAuditRecord[]> {
  const rows = await (behind === undefined
    ? db.read(LATEST, { subject: organization })
    : db.read(BEHIND, { subject: organization, at: behind.at, audit_id: behind.auditId }));
  return rows.map(({ audit_id: auditId, details, ...row }) => ({ ...row, auditId, details: details.toString('utf8') }));
}
