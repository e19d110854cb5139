/**
 * set-interim-view: the next interim view of one workload
 *
 * why     Until the App authority computes views, an operator states one; its bytes, order, separators and receipt are already the real
 *         ones (decisions 13.21), so that later only values change.
 * paths   set-interim-view
 * fence   the primary key at the next revision. Views are insert-only, so a plain look at the last one only names the refusal.
 * again   Installation, workload and catalog revision: the same view again is `already-set`.
 */
import { Digest } from '@connector/kernel/digest';
import { InputFault, invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catInterimView } from '@connector/schema/catalog/catalog';
import { bindingReceipt, bindingView, sourceSnapshot, type BindingView, type ViewBinding } from '../model/documents';
import { catalogDoors } from '../model/paths';

export interface SetInterimView {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
  /** The same for every revision of this workload. */
  readonly lineageId: string;
  /** The revision that this view will have: the last one and 1. */
  readonly catalogRevision: bigint;
  readonly bindings: readonly ViewBinding[];
}

export type InterimViewSet =
  | { readonly kind: 'set' | 'already-set'; readonly viewDigest: Digest; readonly receiptDigest: Digest }
  | { readonly kind: 'conflicting-view'; readonly viewDigest: Digest }
  | { readonly kind: 'revision-moved'; readonly catalogRevision: bigint }
  | { readonly kind: 'lineage-differs'; readonly lineageId: string };

/** In place of the digest of an App release: no App is behind an interim view, and it says so. */
const INTERIM_RELEASE = Digest.sha256(Buffer.from('interim', 'utf8'));
const WHO =
  'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND authorized_workload_id = :authorized_workload_id';
const HEAD = readRows(catInterimView, ['catalog_revision', 'view'], `${WHO} ORDER BY catalog_revision DESC LIMIT 1`, 'head');
const STANDING = readRows(catInterimView, ['view_digest', 'receipt_digest'], `${WHO} AND catalog_revision = :catalog_revision`);

export async function setInterimView(db: Db, input: SetInterimView): Promise<InterimViewSet> {
  if (input.catalogRevision < 1n) throw new InputFault('HOUSE:catalog:Revision', 'revisions begin at 1');
  const row = rowOf(input);
  return db.fenced(catalogDoors['set-interim-view'], async (tx) => {
    const refused = await headRefused(tx, input);
    if (refused !== undefined) return refused;
    if ((await tx.insertNew(catInterimView, row)) === 'inserted')
      return { kind: 'set', viewDigest: row.view_digest, receiptDigest: row.receipt_digest };
    return standing(tx, row);
  });
}

async function headRefused(tx: FencedTx, input: SetInterimView): Promise<InterimViewSet | undefined> {
  const [head] = await tx.read(HEAD, whoOf(input));
  const last = head?.catalog_revision ?? 0n;
  // At the revision itself this may be our own earlier run: the key decides.
  if (input.catalogRevision !== last + 1n && input.catalogRevision !== last) return { kind: 'revision-moved', catalogRevision: last };
  if (head === undefined) return undefined;
  const { lineage_id: lineageId } = bindingView.parse(head.view).value.lineage;
  return lineageId === input.lineageId ? undefined : { kind: 'lineage-differs', lineageId };
}

async function standing(tx: FencedTx, row: ReturnType<typeof rowOf>): Promise<InterimViewSet> {
  const { organization_id, app_installation_id, authorized_workload_id, catalog_revision } = row;
  const [found] = await tx.read(STANDING, { organization_id, app_installation_id, authorized_workload_id, catalog_revision });
  invariant(found !== undefined, 'HOUSE:catalog:RowVanished', 'a view was there and is not');
  const same = found.view_digest === row.view_digest && found.receipt_digest === row.receipt_digest;
  if (!same) return { kind: 'conflicting-view', viewDigest: found.view_digest };
  return { kind: 'already-set', viewDigest: found.view_digest, receiptDigest: found.receipt_digest };
}

function whoOf({ organization, installation, workload }: SetInterimView) {
  return { organization_id: organization, app_installation_id: installation, authorized_workload_id: workload };
}

function rowOf(input: SetInterimView) {
  const who = whoOf(input);
  const snapshot = snapshotOf(input);
  const lineage: BindingView['lineage'] = {
    lineage_id: input.lineageId,
    catalog_revision: input.catalogRevision.toString(),
    activation_epoch: '1',
  };
  const common = { ...who, lineage, source_snapshot_digest: snapshot.digest };
  const view = bindingView.build({ schema_version: 'nexuscrm.integration-binding-view/v1', ...common, bindings: input.bindings });
  const receipt = bindingReceipt.build({
    receipt_protocol: 'nexuscrm.integration-binding-receipt/v1',
    ...common,
    view_digest: view.digest,
    security_epoch: '0',
    capability_version: '0',
  });
  return {
    ...who,
    catalog_revision: input.catalogRevision,
    source_snapshot: snapshot.bytes,
    source_snapshot_digest: snapshot.digest,
    view: view.bytes,
    view_digest: view.digest,
    receipt: receipt.bytes,
    receipt_digest: receipt.digest,
  };
}

/** The pack generations behind the bindings, each once; two generations of one pack in one view are refused as a repeated set member. */
function snapshotOf({ organization, installation, bindings }: SetInterimView) {
  const packs = bindings.map(({ owner_pack, pack_installation_id, pack_payload_digest }) => ({
    owner_pack,
    pack_installation_id,
    pack_payload_digest,
  }));
  const distinct = [...new Map(packs.map((pack) => [JSON.stringify(Object.values(pack)), pack])).values()];
  return sourceSnapshot.build({
    schema_version: 'nexuscrm.integration-source-snapshot/v1',
    organization_id: organization,
    app_installation_id: installation,
    app_release_digest: INTERIM_RELEASE,
    dependency_release_digests: [],
    granted_runtime_capabilities: [],
    pack_generations: distinct,
  });
}
