/**
 * publish-views: the views of an installation's workloads, as a new catalog revision makes them
 *
 * why     Who serves reads bytes that stand, of the size of one view; nothing is computed from history when it is read (cat:INT-24).
 * locks   none of its own: the caller holds the organization's lineage row and the installation's row, under which heads and pointers are written.
 * fence   the primary key of the view at the revision that the caller's transaction takes.
 * writes  cat_integration_view, cat_view_current: one row per workload.
 */
import type { Digest } from '@connector/kernel/digest';
import type { Lineage } from '@connector/kernel/digest-profile';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAuthorizedBinding, catIntegrationView, catMembershipHead, catViewCurrent } from '@connector/schema/catalog/membership';
import type { ActiveTuple, WorkloadGrant } from '../model/active-tuple';
import type { ViewBinding } from '../model/documents';
import { viewOf } from '../model/view-of';
import { bindingOf } from './authorized-bindings';

export interface PublishedView {
  readonly workload: string;
  readonly viewDigest: Digest;
  readonly sourceSnapshotDigest: Digest;
}

const OF_INSTALLATION = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
/** An installation lists at most 1,000 workloads. */
const HEADS = readRows(catMembershipHead, ['authorized_workload_id', 'catalog_revision'], `${OF_INSTALLATION} LIMIT 1000`);
const BINDINGS = readRows(
  catAuthorizedBinding,
  [
    'authorized_workload_id',
    'kind',
    'owner_pack',
    'pack_installation_id',
    'pack_payload_digest',
    'business_key',
    'definition_version',
    'credential_refs',
    'runtime_definition_id',
    'runtime_definition_version',
  ],
  'WHERE organization_id = :organization_id AND catalog_revision IN (:catalog_revision) ORDER BY catalog_revision, ordinal',
);
const CURRENT = readRows(catViewCurrent, ['authorized_workload_id'], `${OF_INSTALLATION} LIMIT 1000`);
const MOVE = updateRows(
  catViewCurrent,
  `SET lineage_id = :lineage_id, catalog_revision = :catalog_revision, activation_epoch = :activation_epoch
   ${OF_INSTALLATION} AND authorized_workload_id IN (:authorized_workload_id)`,
);

/**
 * `lineage` is the revision that this transaction takes and the activation epoch of the tuple. `workloads`: whose view changes, all of the
 * tuple's where it is left out; one that the tuple does not authorize gets no view (cat:INT-02).
 */
export async function publishViews(
  tx: FencedTx,
  tuple: ActiveTuple,
  lineage: Lineage,
  workloads: readonly string[] = tuple.grants.map(({ workloadId }) => workloadId),
): Promise<readonly PublishedView[]> {
  const grants = tuple.grants.filter(({ workloadId }) => workloads.includes(workloadId));
  if (grants.length === 0) return [];
  const wanted = await wantedBindings(tx, tuple, grants);
  const made = grants.map((grant) => ({ grant, ...viewOf(tuple, grant, lineage, wanted.get(grant.workloadId) ?? []) }));
  const who = { organization_id: tuple.organization, app_installation_id: tuple.installation };
  const at = { lineage_id: lineage.lineageId, catalog_revision: lineage.catalogRevision };
  await tx.insert(
    catIntegrationView,
    made.map(({ grant, snapshot, view, capabilityVersion }) => ({
      ...who,
      authorized_workload_id: grant.workloadId,
      ...at,
      source_snapshot: snapshot.bytes,
      source_snapshot_digest: snapshot.digest,
      view: view.bytes,
      view_digest: view.digest,
      capability_version: capabilityVersion,
    })),
  );
  await point(
    tx,
    grants.map(({ workloadId }) => ({ ...who, authorized_workload_id: workloadId, ...at, activation_epoch: lineage.activationEpoch })),
  );
  return made.map(({ grant, snapshot, view }) => ({
    workload: grant.workloadId,
    viewDigest: view.digest,
    sourceSnapshotDigest: snapshot.digest,
  }));
}

async function wantedBindings(
  tx: FencedTx,
  tuple: ActiveTuple,
  grants: readonly WorkloadGrant[],
): Promise<ReadonlyMap<string, readonly ViewBinding[]>> {
  const heads = await tx.read(HEADS, { organization_id: tuple.organization, app_installation_id: tuple.installation });
  const theirs = heads.filter((head) => grants.some(({ workloadId }) => workloadId === head.authorized_workload_id));
  if (theirs.length === 0) return new Map();
  const revisions = theirs.map((head) => head.catalog_revision);
  const rows = await tx.read(BINDINGS, { organization_id: tuple.organization, catalog_revision: revisions });
  return new Map(
    theirs.map(({ authorized_workload_id: workload }) => [
      workload,
      rows.filter((row) => row.authorized_workload_id === workload).map(bindingOf),
    ]),
  );
}

interface Pointer {
  readonly organization_id: string;
  readonly app_installation_id: string;
  readonly authorized_workload_id: string;
  readonly lineage_id: string;
  readonly catalog_revision: bigint;
  readonly activation_epoch: bigint;
}

/** Rows that stand are moved, the others made; the lineage row that the caller holds keeps every other writer of them out. */
async function point(tx: FencedTx, pointers: readonly Pointer[]): Promise<void> {
  const [first] = pointers;
  if (first === undefined) return;
  const { authorized_workload_id: _, ...common } = first;
  const who = { organization_id: first.organization_id, app_installation_id: first.app_installation_id };
  const standing = new Set((await tx.read(CURRENT, who)).map((row) => row.authorized_workload_id));
  const [known, fresh] = [
    pointers.filter((one) => standing.has(one.authorized_workload_id)),
    pointers.filter((one) => !standing.has(one.authorized_workload_id)),
  ];
  if (known.length > 0) await tx.update(MOVE, { ...common, authorized_workload_id: known.map((one) => one.authorized_workload_id) });
  if (fresh.length > 0) await tx.insert(catViewCurrent, fresh);
}
