import type { Instant } from '@connector/kernel/brand';
import { digest } from '@connector/kernel/column';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import type { Json } from '@connector/kernel/jcs';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catConversion, catLegacyDeletion, catLegacyReader } from '@connector/schema/catalog/conversion';
import { type ConversionKey, type ConvertedEntry, convertedEntry, failedEntry } from '../model/conversion/journal';
import { CRM_APP_ID } from '../model/conversion/mapping';
import type { OpenReader } from '../model/installation/check-readers';

const COLUMNS = [
  ...(['attempt_id', 'pack_install_id', 'applied_payload_hash', 'app_release_digest', 'app_installation_id', 'entry', 'caller'] as const),
  'at',
] as const;
const JOURNAL_MAX = 200;
const STANDING = readRows(catConversion, COLUMNS, 'WHERE organization_id = :organization_id AND converted_app_id = :converted_app_id');
const ATTEMPT = readRows(
  catConversion,
  ['app_installation_id'],
  'WHERE organization_id = :organization_id AND attempt_id = :attempt_id',
  'attempt',
);
const JOURNAL = readRows(
  catConversion,
  COLUMNS,
  `WHERE organization_id = :organization_id ORDER BY at DESC, attempt_id LIMIT ${JOURNAL_MAX}`,
  'journal',
);
const LEDGER = readRows(
  catLegacyReader,
  ['reader_id', 'kind', 'capability_id', 'open_app_id', 'named_at'],
  'WHERE organization_id = :organization_id AND app_id = :app_id ORDER BY reader_id LIMIT 1000',
  'ledger',
);
const OPEN = readQuery(
  catLegacyReader,
  { reader_id: catLegacyReader.columns.reader_id, app_release_digest: digest() },
  `SELECT r.reader_id, c.app_release_digest
     FROM ${catLegacyReader.name} r
     JOIN ${catConversion.name} c ON c.organization_id = r.organization_id AND c.converted_app_id = r.open_app_id
    WHERE r.organization_id = :organization_id AND r.open_app_id = :open_app_id
    ORDER BY r.reader_id LIMIT 1000`,
  'seen-open',
);
const DELETION = readRows(catLegacyDeletion, ['decided_by'], 'WHERE organization_id = :organization_id AND app_id = :app_id');

/** The one conversion of the CRM in an organization that succeeded; it never changes. */
export interface Conversion {
  readonly key: ConversionKey;
  readonly attemptId: OperationId;
  readonly installation: string;
  readonly entry: ConvertedEntry;
}

export async function readConversion(db: Db, organization: string): Promise<Conversion | undefined> {
  const row = await db.readOne(STANDING, { organization_id: organization, converted_app_id: CRM_APP_ID });
  if (row === undefined) return undefined;
  const { pack_install_id: packInstallId, applied_payload_hash: appliedPayloadHash, app_release_digest: appReleaseDigest } = row;
  const { app_installation_id: installation } = row;
  invariant(installation !== null, 'HOUSE:catalog:RowUnreadable', 'a conversion without its installation');
  const key = { organization, packInstallId, appliedPayloadHash, appReleaseDigest };
  return { key, attemptId: row.attempt_id, installation, entry: convertedEntry.parse(row.entry).value };
}

/** What became of the attempt under a hold; undefined while it is not decided. */
export async function readDecision(db: Db, organization: string, attempt: OperationId): Promise<'converted' | 'failed' | undefined> {
  const row = await db.readOne(ATTEMPT, { organization_id: organization, attempt_id: attempt });
  if (row === undefined) return undefined;
  return row.app_installation_id === null ? 'failed' : 'converted';
}

export interface ConversionAttempt {
  readonly attemptId: OperationId;
  readonly packInstallId: string;
  readonly appliedPayloadHash: Digest;
  readonly appReleaseDigest: Digest;
  /** null of one that failed. */
  readonly installation: string | null;
  readonly entry: Json;
  readonly caller: string;
  readonly at: Instant;
}

/** Every attempt in an organization, the last first, at most 200. */
export async function readConversionJournal(db: Db, organization: string): Promise<readonly ConversionAttempt[]> {
  const rows = await db.read(JOURNAL, { organization_id: organization });
  return rows.map((row) => ({
    ...{ attemptId: row.attempt_id, packInstallId: row.pack_install_id, appliedPayloadHash: row.applied_payload_hash },
    ...{ appReleaseDigest: row.app_release_digest, installation: row.app_installation_id, caller: row.caller, at: row.at },
    entry: row.app_installation_id === null ? failedEntry.parse(row.entry).value : convertedEntry.parse(row.entry).value,
  }));
}

export interface LegacyReader {
  readonly reader: string;
  readonly kind: string;
  readonly capabilityId: string;
  readonly open: boolean;
  readonly namedAt: Instant;
}

/** The deletion ledger: who read the frozen source, and who still does. */
export async function readLegacyReaders(db: Db, organization: string): Promise<readonly LegacyReader[]> {
  const rows = await db.read(LEDGER, { organization_id: organization, app_id: CRM_APP_ID });
  return rows.map(({ reader_id: reader, kind, capability_id: capabilityId, open_app_id: open, named_at: namedAt }) => ({
    ...{ reader, kind, capabilityId, open: open !== null, namedAt },
  }));
}

/** Who still reads the frozen source of an App now, for whoever plans: nothing holds it still (cat:COEX-04). */
export async function readOpenReaders(db: Db, organization: string, appId: string): Promise<readonly OpenReader[]> {
  const rows = await db.read(OPEN, { organization_id: organization, open_app_id: appId });
  return rows.map(({ reader_id: reader, app_release_digest: converted }) => ({ reader, converted }));
}

export async function isDeletionDecided(db: Db, organization: string): Promise<boolean> {
  return (await db.readOne(DELETION, { organization_id: organization, app_id: CRM_APP_ID })) !== undefined;
}
