import type { BindingKind } from '@connector/kernel/document-binding';
import { born, bytes, digest, int, name, nullable, u64, word } from '@connector/kernel/column';
import { table } from '@connector/kernel/table';

const WORKLOAD = { organization_id: name(64), app_installation_id: name(64), authorized_workload_id: name(128) };

/** The state row beside the insert-only bindings (decisions 12.6); written under the organization's lineage row. */
export const catMembershipHead = table('cat_membership_head', {
  about: 'Which bindings a workload is wanted to use: the revision that authorized them, one row per workload.',
  rank: 'installation',
  columns: { ...WORKLOAD, catalog_revision: u64(), membership_digest: digest() },
  primary: ['organization_id', 'app_installation_id', 'authorized_workload_id'],
});

/** cat:INT-04. A revision is one change of one workload, so organization and revision name a whole membership. Readable by its full identity for good (cat:INT-13). */
export const catAuthorizedBinding = table('cat_authorized_binding', {
  about: 'Every binding that a membership ever authorized, by the revision that did; insert-only.',
  rank: null,
  columns: {
    ...WORKLOAD,
    catalog_revision: u64(),
    ordinal: int(),
    kind: word<BindingKind>(32),
    owner_pack: name(128),
    pack_installation_id: name(64),
    pack_payload_digest: digest(),
    business_key: name(128),
    definition_version: name(32),
    credential_refs: bytes(2048),
    runtime_definition_id: nullable(name(128)),
    runtime_definition_version: nullable(name(32)),
  },
  primary: ['organization_id', 'catalog_revision', 'ordinal'],
  index: {
    identity: [
      'organization_id',
      'app_installation_id',
      'authorized_workload_id',
      'owner_pack',
      'pack_installation_id',
      'pack_payload_digest',
      'kind',
      'business_key',
      'definition_version',
    ],
  },
});

/** catalog.md B.4: the exact bytes of a view and of what it was computed from. The receipt is made when it is read (cat:A-46). */
export const catIntegrationView = table('cat_integration_view', {
  about: 'The views that were published, byte for byte, per workload and catalog revision; insert-only.',
  rank: null,
  columns: {
    ...WORKLOAD,
    lineage_id: name(64),
    catalog_revision: u64(),
    source_snapshot: bytes(262_144),
    source_snapshot_digest: digest(),
    view: bytes(3_000_000),
    view_digest: digest(),
    capability_version: u64(),
    published_at: born(),
  },
  primary: ['organization_id', 'app_installation_id', 'authorized_workload_id', 'lineage_id', 'catalog_revision'],
});

/** Of the ACTIVE tuple only while its activation epoch is the installation's: what an upgrade or a removal leaves behind is nobody's view (cat:INT-22). */
export const catViewCurrent = table('cat_view_current', {
  about: 'Which view of a workload is the last one; written under the organization’s lineage row.',
  rank: 'installation',
  columns: { ...WORKLOAD, lineage_id: name(64), catalog_revision: u64(), activation_epoch: u64() },
  primary: ['organization_id', 'app_installation_id', 'authorized_workload_id'],
});
