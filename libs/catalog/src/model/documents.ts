import { inKeyOrder, inTextOrder } from '@connector/kernel/document-order';
import { BINDING_KIND, closed, DECIMAL, DIGEST, listOf, oneOf, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { documentKind } from '@connector/kernel/document';

/** What one membership lists: the rows that one door may write (decisions 3.6). */
export const MEMBERSHIP_BINDINGS_MAX = 2_000;

/** What Catalog feeds the Connector (catalog.md B.4): snapshot, view, receipt; the separators are ours. */
const packGenerationShape = closed({ owner_pack: TEXT, pack_installation_id: TEXT, pack_payload_digest: DIGEST });
const sourceSnapshotShape = closed({
  schema_version: oneOf('nexuscrm.integration-source-snapshot/v1'),
  organization_id: TEXT,
  app_installation_id: TEXT,
  app_release_digest: DIGEST,
  dependency_release_digests: listOf(DIGEST, 1000),
  granted_runtime_capabilities: listOf(TEXT, 1000),
  pack_generations: listOf(packGenerationShape, 1000),
});
export type SourceSnapshot = TypeOf<typeof sourceSnapshotShape>;

/** What a view was computed from. */
export const sourceSnapshot = documentKind<SourceSnapshot>({
  name: 'source snapshot',
  separator: 'nexuscrm.integration-source-snapshot.v1',
  shape: sourceSnapshotShape,
  arrange: (snapshot) => ({
    ...snapshot,
    dependency_release_digests: inTextOrder(snapshot.dependency_release_digests),
    granted_runtime_capabilities: inTextOrder(snapshot.granted_runtime_capabilities),
    pack_generations: inKeyOrder(snapshot.pack_generations, (pack) => [pack.owner_pack, pack.pack_installation_id]),
  }),
});

const lineageShape = closed({ lineage_id: TEXT, catalog_revision: DECIMAL, activation_epoch: DECIMAL });
export const viewBindingShape = closed(
  {
    kind: BINDING_KIND,
    owner_pack: TEXT,
    pack_installation_id: TEXT,
    pack_payload_digest: DIGEST,
    business_key: TEXT,
    definition_version: TEXT,
    credential_refs: listOf(TEXT, 100),
  },
  { runtime_command: closed({ definition_id: TEXT, definition_version: TEXT }) },
);
const bindingViewShape = closed({
  schema_version: oneOf('nexuscrm.integration-binding-view/v1'),
  organization_id: TEXT,
  app_installation_id: TEXT,
  authorized_workload_id: TEXT,
  lineage: lineageShape,
  source_snapshot_digest: DIGEST,
  bindings: listOf(viewBindingShape, 10_000),
});
export type BindingView = TypeOf<typeof bindingViewShape>;
export type ViewBinding = TypeOf<typeof viewBindingShape>;

/** Which definitions one workload of one installation may use. A binding's ordinal is its place here (cat:INT-05). */
export const bindingView = documentKind<BindingView>({
  name: 'binding view',
  separator: 'nexuscrm.integration-binding-view.v1',
  shape: bindingViewShape,
  arrange: (view) => ({ ...view, bindings: inBindingOrder(view.bindings) }),
});

/** What names a binding inside a view, and orders it there. */
export function bindingKey(row: ViewBinding): readonly string[] {
  return [row.kind, row.owner_pack, row.pack_installation_id, row.business_key, row.definition_version];
}

/** The one order, whatever order they were given in; a key or a reference twice is an InputFault (cat:INT-05, cat:INT-15). */
export function inBindingOrder(bindings: readonly ViewBinding[]): readonly ViewBinding[] {
  return inKeyOrder(bindings, bindingKey).map((row) => ({ ...row, credential_refs: inTextOrder(row.credential_refs) }));
}

const membershipShape = closed({
  schema_version: oneOf('nexuscrm.integration-membership/v1'),
  bindings: listOf(viewBindingShape, MEMBERSHIP_BINDINGS_MAX),
});

/** The bindings that a workload is wanted to use; its digest says whether a wanted membership is the one that stands. */
export const membership = documentKind<TypeOf<typeof membershipShape>>({
  name: 'membership',
  separator: 'nexuscrm.integration-membership.v1',
  shape: membershipShape,
  arrange: (wanted) => ({ ...wanted, bindings: inBindingOrder(wanted.bindings) }),
});

const bindingReceiptShape = closed({
  receipt_protocol: oneOf('nexuscrm.integration-binding-receipt/v1'),
  organization_id: TEXT,
  app_installation_id: TEXT,
  authorized_workload_id: TEXT,
  lineage: lineageShape,
  source_snapshot_digest: DIGEST,
  view_digest: DIGEST,
  security_epoch: DECIMAL,
  capability_version: DECIMAL,
});
export type BindingReceipt = TypeOf<typeof bindingReceiptShape>;

/** Catalog's word for a view under a security epoch; no time and no nonce, so the same facts give the same bytes (cat:INT-08). */
export const bindingReceipt = documentKind<BindingReceipt>({
  name: 'binding receipt',
  separator: 'nexuscrm.integration-binding-receipt.v1',
  shape: bindingReceiptShape,
});
