import { DefectFault } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import { readRows } from '@connector/kernel/statement';
import { parseStrict } from '@connector/kernel/strict-json';
import type { Db } from '@connector/platform/db/db';
import { runRecord } from '@connector/schema/runtime/runtime';
import type { RecordKey, RecordSeen } from '../model/application';

const RECORD = readRows(runRecord, ['version', 'value'], 'WHERE collection = :collection AND record_key = :record_key');

/**
 * The records of these keys, in their order, each with the version that the commit must still find. They are read without a lock and not
 * at one moment: what two of them say together is only true once the commit has held both (decisions 13.8).
 */
export async function readRecords(db: Db, keys: readonly RecordKey[]): Promise<readonly RecordSeen[]> {
  const seen: RecordSeen[] = [];
  for (const { collection, key } of keys) {
    const row = await db.readOne(RECORD, { collection, record_key: key });
    seen.push({ collection, key, version: row?.version ?? null, value: valueOf(row?.value ?? null) });
  }
  return seen;
}

function valueOf(bytes: Buffer | null): Json {
  if (bytes === null) return null;
  const parsed = parseStrict(bytes);
  if (!parsed.ok) throw new DefectFault('HOUSE:runtime:RecordNotJson', parsed.code);
  return parsed.value;
}
