import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catConversion, catLegacyReader } from '@connector/schema/catalog/conversion';
import { attemptRow, conversionKey, convertedEntry, convertedSource, type ProvenConversion } from '../../model/conversion/journal';
import { CRM_APP_ID } from '../../model/conversion/mapping';

/**
 * The success of a conversion, with the ledger of who still reads its source, in the commit that mints its installation (cat:CONV-09). The caller
 * holds the lineage. False where this attempt was given up, or the App or the source is converted (cat:A-38): nothing is written then.
 */
export async function journalConversion(
  tx: FencedTx,
  { key, attemptId, entry }: ProvenConversion,
  installation: string,
  caller: string,
): Promise<boolean> {
  const converted = { conversion_key: conversionKey(key), converted_app_id: CRM_APP_ID, converted_source: convertedSource(entry) };
  const row = {
    ...attemptRow(key, attemptId, caller),
    ...converted,
    app_installation_id: installation,
    entry: convertedEntry.build(entry).bytes,
  };
  if ((await tx.insertNew(catConversion, row)) !== 'inserted') return false;
  const readers = entry.mapping.legacy_readers;
  if (readers.length === 0) return true;
  await tx.insert(
    catLegacyReader,
    readers.map(({ reader_id, kind, capability_id }) => ({
      ...{ organization_id: key.organization, app_id: CRM_APP_ID, reader_id, kind, capability_id, open_app_id: CRM_APP_ID },
    })),
  );
  return true;
}
