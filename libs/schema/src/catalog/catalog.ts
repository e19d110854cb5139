import { born, bytes, digest, name, u64 } from '@connector/kernel/column';
import { table } from '@connector/kernel/table';

/** decisions 13.21: the interim IntegrationBindingView, one row per revision, until the App authority computes it. */
export const catInterimView = table('cat_interim_view', {
  about: 'The interim view of one workload, per catalog revision.',
  rank: null,
  columns: {
    organization_id: name(64),
    app_installation_id: name(64),
    authorized_workload_id: name(128),
    catalog_revision: u64(),
    source_snapshot: bytes(262_144),
    source_snapshot_digest: digest(),
    view: bytes(1_000_000),
    view_digest: digest(),
    receipt: bytes(4096),
    receipt_digest: digest(),
    set_at: born(),
  },
  primary: ['organization_id', 'app_installation_id', 'authorized_workload_id', 'catalog_revision'],
});
