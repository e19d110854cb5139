import { born, bytes, digest, id, int, name, nullable, word } from '@connector/kernel/column';
import { EpochId, EventId, ProjectionId, ReceiptId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';
import { orderBytes, orderingPartition } from './ordering';
import { account, channel } from './serving';

/** One MiB; the account's policy may say less (con:OPEN-50). */
export const PAYLOAD_BYTES_MAX = 1_048_576;
/** At most 8 headers, each a name of 64 and a value of 255 bytes, as canonical JSON whose escapes may double a value. */
export const HEADERS_BYTES_MAX = 8_192;

/** con:RAK-F: the sole transport-idempotency authority; byte-exact (con:UNIQ-01). */
export const conAdmissionKey = table('con_admission_key', {
  about: 'Which receipt a transport key was first admitted as.',
  rank: 'admission-key',
  columns: { account: account(), channel: channel(), transport_key: name(255), payload_digest: digest(), receipt_id: id(ReceiptId) },
  primary: ['account', 'channel', 'transport_key'],
});

/** con:RCPT-F: accepted transport input, immutable. `headers`: what the route names beside the body, so that it can be read again later. */
export const conReceipt = table('con_receipt', {
  about: 'An accepted delivery, byte for byte.',
  rank: null,
  columns: {
    receipt_id: id(ReceiptId),
    account: account(),
    channel: channel(),
    transport_key: name(255),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    digest_profile: name(64),
    payload: bytes(PAYLOAD_BYTES_MAX),
    payload_digest: digest(),
    key_version: int(),
    admitted_at: born(),
    headers: nullable(bytes(HEADERS_BYTES_MAX)),
  },
  primary: ['receipt_id'],
  index: { by_account: ['account', 'admitted_at'] },
});

/** Other bytes that came under the admission key of a receipt (con:ADM-X): what was refused, never the bytes; one row however often they come. */
export const conConflictingRedelivery = table('con_conflicting_redelivery', {
  about: 'Deliveries that were refused because their transport key was used before for other bytes.',
  rank: null,
  columns: {
    receipt_id: id(ReceiptId),
    payload_digest: digest(),
    payload_bytes: int(),
    key_version: int(),
    first_seen_at: born(),
  },
  primary: ['receipt_id', 'payload_digest'],
});

/** Receipts whose children are still to be made: only those that were not materialized in the admission transaction have a row. */
export const conMaterialization = table('con_materialization', {
  about: 'Receipts that wait to be materialized.',
  rank: 'receipt',
  columns: { receipt_id: id(ReceiptId), account: account(), ready_account: nullable(account()), next_ordinal: int(), since: born() },
  primary: ['receipt_id'],
  index: { ready: ['ready_account', 'receipt_id'] },
});

/** con:COMP-F: one item of a receipt, immutable, no status. */
export const conComponent = table('con_component', {
  about: 'One item of a receipt and the event that it is.',
  rank: null,
  columns: { receipt_id: id(ReceiptId), ordinal: int(), item: bytes(PAYLOAD_BYTES_MAX), component_digest: digest(), event_id: id(EventId) },
  primary: ['receipt_id', 'ordinal'],
});

/** decisions 13.4: an item, or the whole body, that cannot become an event: durable, refused by name, harmless to its neighbours. */
export const conComponentRefusal = table('con_component_refusal', {
  about: 'Items that were refused, with the code and the message of whoever refused.',
  rank: null,
  columns: { receipt_id: id(ReceiptId), ordinal: int(), account: account(), code: word(64), message: name(512), refused_at: born() },
  primary: ['receipt_id', 'ordinal'],
  index: { by_account: ['account', 'refused_at'] },
});

/**
 * con:EVT-F: a normalized external event; its payload is the component that it came with, `item_digest` the plain SHA-256 of those bytes.
 * The source-order facts are exact bytes (con:ORD-06), NULL where order does not matter.
 */
export const conEvent = table('con_event', {
  about: 'What happened at the source, once per source event key.',
  rank: null,
  columns: {
    event_id: id(EventId),
    account: account(),
    source_event_key: bytes(512),
    kind: word(128),
    receipt_id: id(ReceiptId),
    ordinal: int(),
    item_digest: digest(),
    occurred_at: nullable(name(40)),
    ordering_contract_digest: digest(),
    ordering_partition: nullable(orderingPartition()),
    position_kind: nullable(word(8)),
    source_position: nullable(orderBytes()),
    tie_breaker: nullable(orderBytes()),
    epoch_id: id(EpochId),
    recorded_at: born(),
  },
  primary: ['event_id'],
  unique: { live: ['account', 'source_event_key'] },
});

/** con:PRJ-F: the application input under one route. The pointer to its active execution stands on the execution (con:UNIQ-14). */
export const conProjection = table('con_projection', {
  about: 'The mapped input of one event under one route.',
  rank: null,
  columns: {
    projection_id: id(ProjectionId),
    account: account(),
    event_id: id(EventId),
    route_identity: digest(),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    input: bytes(PAYLOAD_BYTES_MAX),
    input_digest: digest(),
    derived_at: born(),
  },
  primary: ['projection_id'],
  index: { by_event: ['event_id'] },
});
