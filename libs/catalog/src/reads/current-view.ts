import { nullable } from '@connector/kernel/column';
import type { Digest } from '@connector/kernel/digest';
import type { Lineage } from '@connector/kernel/digest-profile';
import { documentDigest } from '@connector/kernel/document';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catInstallation, catLineage } from '@connector/schema/catalog/installations';
import { catIntegrationView, catViewCurrent } from '@connector/schema/catalog/membership';
import { bindingReceipt, bindingView } from '../model/documents';

export interface ViewScope {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
}

/** catalog.md B.2; `unavailable` is the fault of whoever could not ask. Bytes and digests are exactly those that were published. */
export type CurrentView =
  | {
      readonly kind: 'found';
      readonly viewBytes: Buffer;
      readonly viewDigest: Digest;
      readonly sourceSnapshotDigest: Digest;
      readonly receiptBytes: Buffer;
      readonly receiptDigest: Digest;
      readonly lineage: Lineage;
    }
  | { readonly kind: 'absent'; readonly code: 'INSTALLATION_NOT_ACTIVE' | 'WORKLOAD_NOT_AUTHORIZED' }
  | { readonly kind: 'not-fresh'; readonly currentRevision: bigint }
  | { readonly kind: 'mismatch'; readonly code: 'DIGEST_MISMATCH' };

const VIEW = catIntegrationView.columns;
/**
 * All of it in one statement, so from one moment: rows by their whole keys, one of each table, whatever their history (cat:INT-24). A view of
 * another activation epoch than the installation's is nobody's.
 */
const CURRENT = readQuery(
  catViewCurrent,
  {
    head_revision: catLineage.columns.catalog_revision,
    security_epoch: catInstallation.columns.active_security_epoch,
    activation_epoch: nullable(catViewCurrent.columns.activation_epoch),
    lineage_id: nullable(VIEW.lineage_id),
    catalog_revision: nullable(VIEW.catalog_revision),
    view: nullable(VIEW.view),
    view_digest: nullable(VIEW.view_digest),
    source_snapshot_digest: nullable(VIEW.source_snapshot_digest),
    capability_version: nullable(VIEW.capability_version),
  },
  `SELECT l.catalog_revision AS head_revision, i.active_security_epoch AS security_epoch, c.activation_epoch, v.lineage_id,
          v.catalog_revision, v.view, v.view_digest, v.source_snapshot_digest, v.capability_version
     FROM cat_lineage l
     LEFT JOIN cat_installation i ON i.organization_id = l.organization_id AND i.app_installation_id = :app_installation_id
     LEFT JOIN cat_view_current c ON c.organization_id = i.organization_id AND c.app_installation_id = i.app_installation_id
           AND c.authorized_workload_id = :authorized_workload_id AND c.activation_epoch = i.activation_epoch
     LEFT JOIN cat_integration_view v ON v.organization_id = c.organization_id AND v.app_installation_id = c.app_installation_id
           AND v.authorized_workload_id = c.authorized_workload_id AND v.lineage_id = c.lineage_id AND v.catalog_revision = c.catalog_revision
    WHERE l.organization_id = :organization_id`,
);

/**
 * The complete current view, with a receipt under the security epoch that was acknowledged for the ACTIVE tuple (cat:A-46). The revision is a
 * lower bound for freshness and selects no history (cat:INT-06, con:BIND-K): below it nothing is said, an absence neither.
 */
export async function readCurrentView(db: Db, scope: ViewScope, minRevision: bigint): Promise<CurrentView> {
  const { organization, installation, workload } = scope;
  const who = { organization_id: organization, app_installation_id: installation, authorized_workload_id: workload };
  const row = await db.readOne(CURRENT, who);
  const currentRevision = row?.head_revision ?? 0n;
  if (currentRevision < minRevision) return { kind: 'not-fresh', currentRevision };
  if (row === undefined || row.security_epoch === null) return { kind: 'absent', code: 'INSTALLATION_NOT_ACTIVE' };
  const { security_epoch: securityEpoch, ...view } = row;
  if (!isPublished(view) || view.capability_version === 0n) return { kind: 'absent', code: 'WORKLOAD_NOT_AUTHORIZED' };
  if (documentDigest(bindingView.separator, view.view) !== view.view_digest) return { kind: 'mismatch', code: 'DIGEST_MISMATCH' };
  return foundOf(scope, view, securityEpoch);
}

interface Published {
  readonly activation_epoch: bigint;
  readonly lineage_id: string;
  readonly catalog_revision: bigint;
  readonly view: Buffer;
  readonly view_digest: Digest;
  readonly source_snapshot_digest: Digest;
  readonly capability_version: bigint;
}
type MaybePublished = { readonly [K in keyof Published]: Published[K] | null };

function isPublished(row: MaybePublished): row is Published {
  return Object.values(row).every((value) => value !== null);
}

function foundOf({ organization, installation, workload }: ViewScope, row: Published, securityEpoch: bigint): CurrentView {
  const lineage = { lineageId: row.lineage_id, catalogRevision: row.catalog_revision, activationEpoch: row.activation_epoch };
  const receipt = bindingReceipt.build({
    receipt_protocol: 'nexuscrm.integration-binding-receipt/v1',
    organization_id: organization,
    app_installation_id: installation,
    authorized_workload_id: workload,
    lineage: {
      lineage_id: row.lineage_id,
      catalog_revision: row.catalog_revision.toString(),
      activation_epoch: row.activation_epoch.toString(),
    },
    source_snapshot_digest: row.source_snapshot_digest,
    view_digest: row.view_digest,
    security_epoch: securityEpoch.toString(),
    capability_version: row.capability_version.toString(),
  });
  const { source_snapshot_digest: sourceSnapshotDigest, view, view_digest: viewDigest } = row;
  return {
    kind: 'found',
    viewBytes: view,
    viewDigest,
    sourceSnapshotDigest,
    receiptBytes: receipt.bytes,
    receiptDigest: receipt.digest,
    lineage,
  };
}
