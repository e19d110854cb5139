import { int, nullable } from '@connector/kernel/column';
import { ReceiptId } from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import { conConflictingRedelivery, conMaterialization, conReceipt } from '@connector/schema/connector/inbound';
import { LOOK_MAX, type ListSource } from './list';

const receipt = conReceipt.columns;
const COLUMNS = {
  receipt_id: receipt.receipt_id,
  account: receipt.account,
  channel: receipt.channel,
  transport_key: receipt.transport_key,
  epoch_id: receipt.epoch_id,
  payload_digest: receipt.payload_digest,
  key_version: receipt.key_version,
  admitted_at: receipt.admitted_at,
  payload_bytes: int(),
  pending: nullable(conMaterialization.columns.next_ordinal),
  conflicts: int(),
} as const;
const SELECT = `SELECT r.receipt_id, r.account, r.channel, r.transport_key, r.epoch_id, r.payload_digest, r.key_version, r.admitted_at,
       LENGTH(r.payload) AS payload_bytes, m.next_ordinal AS pending,
       (SELECT COUNT(*) FROM ${conConflictingRedelivery.name} k WHERE k.receipt_id = r.receipt_id) AS conflicts
  FROM ${conReceipt.name} r LEFT JOIN ${conMaterialization.name} m ON m.receipt_id = r.receipt_id AND m.ready_account IS NOT NULL`;
const ORDER = `ORDER BY r.admitted_at DESC, r.receipt_id DESC LIMIT ${LOOK_MAX}`;
const NEWEST = readQuery(conReceipt, COLUMNS, `${SELECT} WHERE r.account = :account ${ORDER}`, 'newest');
const OLDER = readQuery(
  conReceipt,
  COLUMNS,
  `${SELECT} WHERE r.account = :account AND r.admitted_at <= :admitted_at
   AND (r.admitted_at < :admitted_at OR r.receipt_id < :receipt_id) ${ORDER}`,
  'older',
);
const ONE = readQuery(conReceipt, COLUMNS, `${SELECT} WHERE r.receipt_id = :receipt_id`, 'listed');

export type ListedReceipt = ReturnType<typeof ONE.decode>;

/** `stored` while the sweep still owes items. */
export const receiptState = (row: ListedReceipt): 'stored' | 'materialized' => (row.pending === null ? 'materialized' : 'stored');

export const receiptList: ListSource<ListedReceipt> = {
  page: (db, account, before) =>
    before === undefined
      ? db.read(NEWEST, { account })
      : db.read(OLDER, { account, admitted_at: before.at, receipt_id: ReceiptId.parse(before.id) }),
  placeOf: (row) => ({ id: row.receipt_id, at: row.admitted_at }),
  find: (db, id) => db.readOne(ONE, { receipt_id: ReceiptId.parse(id) }),
  isIn: (row, state) => receiptState(row) === state,
};
