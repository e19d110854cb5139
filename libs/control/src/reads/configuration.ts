import type { Digest } from '@connector/kernel/digest';
import type { ConfigurationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlServiceConfiguration } from '@connector/schema/control/control';

export interface StoredConfiguration {
  readonly documentBytes: Buffer;
  readonly generationDigest: Digest;
  readonly receiptBytes: Buffer;
  readonly receiptDigest: Digest;
}

const EXACT = readRows(
  ctlServiceConfiguration,
  ['document', 'generation_digest', 'receipt', 'receipt_digest'],
  'WHERE generation_id = :generation_id',
);

/** One generation by its exact id; there is no "current" one (con:SCG-R). */
export async function readConfiguration(db: Db, generationId: ConfigurationId): Promise<StoredConfiguration | undefined> {
  const row = await db.readOne(EXACT, { generation_id: generationId });
  return (
    row && {
      documentBytes: row.document,
      generationDigest: row.generation_digest,
      receiptBytes: row.receipt,
      receiptDigest: row.receipt_digest,
    }
  );
}
