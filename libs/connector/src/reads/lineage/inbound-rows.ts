import { int } from '@connector/kernel/column';
import type { EventId, ExecutionId, ProjectionId, ReceiptId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution, conExecutionAttempt, conResultCorrelation } from '@connector/schema/connector/execution';
import {
  conComponent,
  conComponentRefusal,
  conConflictingRedelivery,
  conEvent,
  conMaterialization,
  conProjection,
  conReceipt,
} from '@connector/schema/connector/inbound';
import { conSupersededDecision } from '@connector/schema/connector/ordering';
import { CONFLICTS_OF_RECEIPT_MAX } from '../../model/inbound/delivery';
import { LEVEL_MAX } from './limits';

const receipt = conReceipt.columns;
const RECEIPT = readQuery(
  conReceipt,
  {
    receipt_id: receipt.receipt_id,
    account: receipt.account,
    channel: receipt.channel,
    transport_key: receipt.transport_key,
    epoch_id: receipt.epoch_id,
    payload_digest: receipt.payload_digest,
    key_version: receipt.key_version,
    payload_bytes: int(),
    admitted_at: receipt.admitted_at,
  },
  `SELECT receipt_id, account, channel, transport_key, epoch_id, payload_digest, key_version, LENGTH(payload) AS payload_bytes, admitted_at
     FROM ${conReceipt.name} WHERE receipt_id = :receipt_id`,
  'lineage',
);
const PENDING = readRows(
  conMaterialization,
  ['next_ordinal', 'since'],
  'WHERE receipt_id = :receipt_id AND ready_account IS NOT NULL',
  'lineage',
);
const COMPONENTS = readRows(
  conComponent,
  ['ordinal', 'event_id'],
  `WHERE receipt_id = :receipt_id ORDER BY ordinal LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const REFUSALS = readRows(
  conComponentRefusal,
  ['ordinal', 'code', 'message', 'refused_at'],
  `WHERE receipt_id = :receipt_id ORDER BY ordinal LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const CONFLICTS = readRows(
  conConflictingRedelivery,
  ['payload_digest', 'payload_bytes', 'key_version', 'first_seen_at'],
  `WHERE receipt_id = :receipt_id ORDER BY first_seen_at, payload_digest LIMIT ${CONFLICTS_OF_RECEIPT_MAX}`,
  'lineage',
);
const EVENTS = readRows(
  conEvent,
  ['event_id', 'receipt_id', 'kind', 'source_event_key', 'occurred_at', 'recorded_at'],
  'WHERE event_id IN (:event_id)',
  'lineage',
);
const PROJECTIONS = readRows(
  conProjection,
  ['projection_id', 'event_id', 'derived_at'],
  `WHERE event_id IN (:event_id) ORDER BY event_id, derived_at LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const EXECUTIONS = readRows(
  conExecution,
  [
    'execution_id',
    'projection_id',
    'command_id',
    'business_key',
    'definition_version',
    'state',
    'attempt_count',
    'minted_at',
    'finished_at',
  ],
  `WHERE projection_id IN (:projection_id) ORDER BY projection_id, generation LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const SUPERSEDED = readRows(
  conSupersededDecision,
  ['projection_id', 'reason', 'decided_at'],
  `WHERE projection_id IN (:projection_id) LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const ATTEMPTS = readRows(
  conExecutionAttempt,
  ['execution_id', 'ordinal', 'claimant', 'leased_until', 'claimed_at'],
  `WHERE execution_id IN (:execution_id) ORDER BY execution_id, ordinal LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const RECORDED = readRows(
  conResultCorrelation,
  ['execution_id', 'result_digest', 'recorded_at'],
  'WHERE execution_id IN (:execution_id)',
  'lineage',
);

export async function readReceiptRows(db: Db, receiptId: ReceiptId) {
  const row = await db.readOne(RECEIPT, { receipt_id: receiptId });
  if (row === undefined) return undefined;
  const pending = await db.readOne(PENDING, { receipt_id: receiptId });
  const components = await db.read(COMPONENTS, { receipt_id: receiptId });
  const refusals = await db.read(REFUSALS, { receipt_id: receiptId });
  const conflicts = await db.read(CONFLICTS, { receipt_id: receiptId });
  return { receipt: row, pending, components, refusals, conflicts };
}
export type ReceiptRows = NonNullable<Awaited<ReturnType<typeof readReceiptRows>>>;

/** Each level is one statement over the ids of the one above; one row more than `LEVEL_MAX` says that there are more. */
export async function readEventRows(db: Db, ids: readonly EventId[]) {
  if (ids.length === 0) return { events: [], projections: [] };
  return { events: await db.read(EVENTS, { event_id: ids }), projections: await db.read(PROJECTIONS, { event_id: ids }) };
}
export type EventRows = Awaited<ReturnType<typeof readEventRows>>;

export async function readExecutionRows(db: Db, ids: readonly ProjectionId[]) {
  const executions = ids.length === 0 ? [] : await db.read(EXECUTIONS, { projection_id: ids });
  const superseded = ids.length === 0 ? [] : await db.read(SUPERSEDED, { projection_id: ids });
  const executionIds = executions.map((row) => row.execution_id);
  return { executions, superseded, ...(await readTries(db, executionIds)) };
}
export type ExecutionRows = Awaited<ReturnType<typeof readExecutionRows>>;

async function readTries(db: Db, ids: readonly ExecutionId[]) {
  if (ids.length === 0) return { attempts: [], recorded: [] };
  return { attempts: await db.read(ATTEMPTS, { execution_id: ids }), recorded: await db.read(RECORDED, { execution_id: ids }) };
}
