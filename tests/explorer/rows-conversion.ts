import { readRows } from '@connector/kernel/statement';
import { catConversion, catLegacyDeletion, catLegacyReader } from '@connector/schema/catalog/conversion';

const OF_ORGANIZATION = 'WHERE organization_id IN (:organization_id) LIMIT 1000';

/** What an organization converted, who still reads the source, and what it decided to delete. */
export const CONVERSION_READS = {
  conversions: readRows(catConversion, ['organization_id', 'attempt_id', 'app_id', 'app_installation_id'], OF_ORGANIZATION),
  legacyReaders: readRows(catLegacyReader, ['organization_id', 'app_id', 'reader_id', 'open_app_id'], OF_ORGANIZATION),
  legacyDeletions: readRows(catLegacyDeletion, ['organization_id', 'app_id'], OF_ORGANIZATION),
} as const;
