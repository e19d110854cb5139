import type { Instant } from '@connector/kernel/brand';
import type { AuditId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catAudit } from '@connector/schema/catalog/request';
import { LIST_MAX } from './page';

export interface AuditRecord {
  readonly auditId: AuditId;
  readonly door: string;
  readonly caller: string;
  readonly at: Instant;
  /** A JSON object of words, ids and digests. */
  readonly details: string;
}

const COLUMNS = ['audit_id', 'door', 'caller', 'at', 'details'] as const;
const ORDER = `ORDER BY at DESC, audit_id DESC LIMIT ${LIST_MAX + 1}`;
const LATEST = readRows(catAudit, COLUMNS, `WHERE subject = :subject ${ORDER}`, 'latest');
const PLACE = readRows(catAudit, ['at'], 'WHERE audit_id = :audit_id AND subject = :subject', 'place');
const BEHIND = readRows(
  catAudit,
  COLUMNS,
  `WHERE subject = :subject AND (at < :at OR (at = :at AND audit_id < :audit_id)) ${ORDER}`,
  'behind',
);

/** When this record of the subject was written; undefined where the subject has none of that id. */
export async function readAuditPlace(db: Db, subject: string, auditId: AuditId): Promise<Instant | undefined> {
  return (await db.readOne(PLACE, { audit_id: auditId, subject }))?.at;
}

/** What was done about a subject, latest first, at most 201: for people, never for a decision (cat:A-47). `behind`: earlier than this place. */
export async function readAudit(db: Db, subject: string, behind?: Pick<AuditRecord, 'at' | 'auditId'>): Promise<readonly AuditRecord[]> {
  const rows = await (behind === undefined
    ? db.read(LATEST, { subject })
    : db.read(BEHIND, { subject, at: behind.at, audit_id: behind.auditId }));
  return rows.map(({ audit_id: auditId, details, ...row }) => ({ ...row, auditId, details: details.toString('utf8') }));
}
