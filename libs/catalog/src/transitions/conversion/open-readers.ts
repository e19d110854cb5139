import { digest } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catConversion, catLegacyReader } from '@connector/schema/catalog/conversion';
import type { OpenReader } from '../../model/installation/check-readers';

/** What one mapping may list. */
const READERS_MAX = 1000;
const OPEN = readQuery(
  catLegacyReader,
  { reader_id: catLegacyReader.columns.reader_id, app_release_digest: digest() },
  `SELECT r.reader_id, c.app_release_digest
     FROM ${catLegacyReader.name} r
     JOIN ${catConversion.name} c ON c.organization_id = r.organization_id AND c.converted_app_id = r.open_app_id
    WHERE r.organization_id = :organization_id AND r.open_app_id = :open_app_id
    ORDER BY r.reader_id LIMIT ${READERS_MAX}`,
  'open',
);

/** Who still reads the frozen source of an App, each with the release to which it was converted. The caller holds the lineage. */
export async function openReaders(tx: FencedTx, organization: string, appId: string): Promise<readonly OpenReader[]> {
  const rows = await tx.read(OPEN, { organization_id: organization, open_app_id: appId });
  return rows.map(({ reader_id: reader, app_release_digest: converted }) => ({ reader, converted }));
}
