import { readRows } from '@connector/kernel/statement';
import { conEpochBinding, conEpochContent } from '@connector/schema/connector/serving';

const OF_EPOCHS = 'WHERE epoch_id IN (:epoch_id) LIMIT 1000';

/** What epochs froze of a view. */
export const EPOCH_READS = {
  contents: readRows(
    conEpochContent,
    [
      'epoch_id',
      'organization_id',
      'app_installation_id',
      'authorized_workload_id',
      'lineage_id',
      'catalog_revision',
      'activation_epoch',
      'source_snapshot_digest',
      'view_digest',
    ],
    OF_EPOCHS,
  ),
  frozenBindings: readRows(conEpochBinding, ['epoch_id', 'ordinal', 'kind', 'business_key', 'pack_payload_digest'], OF_EPOCHS),
} as const;
