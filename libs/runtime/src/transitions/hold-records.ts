import { invariant } from '@connector/kernel/faults';
import { jcs, type Json } from '@connector/kernel/jcs';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { runRecord } from '@connector/schema/runtime/runtime';
import type { RecordChange, RecordKey, RecordSeen } from '../model/application';

const LOCK = lockRows(runRecord, ['version'], 'WHERE collection = :collection AND record_key = :record_key');
const CHANGE = updateRows(
  runRecord,
  'SET version = version + 1, value = :value WHERE collection = :collection AND record_key = :record_key',
);

/**
 * Locks every record that the handler read and says whether all of them are as it saw them. A record that was read as absent is
 * held by inserting its version 0: under READ COMMITTED an absent row locks nothing, and a second reader of the same absence meets
 * the row. A version 0 that a refusal leaves behind says what absence says, and is read and held as any other version from then on.
 */
export async function holdRecords(tx: FencedTx, records: readonly RecordSeen[]): Promise<boolean> {
  for (const record of [...records].sort(byKey)) {
    const held = record.version === null ? await claimAbsence(tx, record) : await lockVersion(tx, record);
    if (!held) return false;
  }
  return true;
}

async function lockVersion(tx: FencedTx, record: RecordSeen): Promise<boolean> {
  const row = await tx.lock(LOCK, { collection: record.collection, record_key: record.key });
  return row?.version === record.version;
}

async function claimAbsence(tx: FencedTx, record: RecordSeen): Promise<boolean> {
  const inserted = await tx.insertNew(runRecord, { collection: record.collection, record_key: record.key, version: 0n, value: null });
  return inserted === 'inserted';
}

/** The records are locked and their versions known, so the update has no clause left that could be false. */
export async function applyChanges(tx: FencedTx, changes: readonly RecordChange[]): Promise<void> {
  for (const change of [...changes].sort(byKey)) {
    const landed = await tx.cas(CHANGE, { collection: change.collection, record_key: change.key, value: valueBytes(change.value) });
    invariant(landed, 'HOUSE:runtime:ChangeOfUnreadRecord', `${change.collection} was changed without being read`);
  }
}

function valueBytes(value: Json): Buffer | null {
  return value === null ? null : jcs(value);
}

function byKey(left: RecordKey, right: RecordKey): number {
  const collection = Buffer.compare(Buffer.from(left.collection), Buffer.from(right.collection));
  return collection === 0 ? Buffer.compare(Buffer.from(left.key), Buffer.from(right.key)) : collection;
}
