import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catInterimView } from '@connector/schema/catalog/catalog';

export interface ViewScope {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
}
export type CurrentView =
  | {
      readonly kind: 'found';
      readonly catalogRevision: bigint;
      readonly viewBytes: Buffer;
      readonly viewDigest: Digest;
      readonly sourceSnapshotDigest: Digest;
      readonly receiptBytes: Buffer;
      readonly receiptDigest: Digest;
    }
  | { readonly kind: 'absent'; readonly code: 'WORKLOAD_NOT_AUTHORIZED' }
  | { readonly kind: 'not-fresh'; readonly currentRevision: bigint };

const CURRENT = readRows(
  catInterimView,
  ['catalog_revision', 'view', 'view_digest', 'source_snapshot_digest', 'receipt', 'receipt_digest'],
  `WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND authorized_workload_id = :authorized_workload_id
   ORDER BY catalog_revision DESC LIMIT 1`,
);

/** The complete current view. The revision is a lower bound for freshness and selects no history (cat:INT-06, con:BIND-K). */
export async function readCurrentView(db: Db, scope: ViewScope, minRevision: bigint): Promise<CurrentView> {
  const { organization, installation, workload } = scope;
  const who = { organization_id: organization, app_installation_id: installation, authorized_workload_id: workload };
  const row = await db.readOne(CURRENT, who);
  if (row === undefined) return { kind: 'absent', code: 'WORKLOAD_NOT_AUTHORIZED' };
  const { catalog_revision: catalogRevision } = row;
  if (catalogRevision < minRevision) return { kind: 'not-fresh', currentRevision: catalogRevision };
  const view = { viewBytes: row.view, viewDigest: row.view_digest, sourceSnapshotDigest: row.source_snapshot_digest };
  return { kind: 'found', catalogRevision, ...view, receiptBytes: row.receipt, receiptDigest: row.receipt_digest };
}
