import {
  CommandId,
  EffectId,
  EventId,
  ExecutionId,
  idNameOf,
  LinkId,
  OutboundCommandId,
  PermitId,
  ProjectionId,
  ReceiptId,
} from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { conEvent, conProjection, conReceipt } from '@connector/schema/connector/inbound';
import { conDispatchPermit, conRemoteLink } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';

const RECEIPT = readRows(conReceipt, ['receipt_id'], 'WHERE receipt_id = :receipt_id', 'root');
const EVENT = readRows(conEvent, ['receipt_id'], 'WHERE event_id = :event_id', 'root');
const PROJECTION = readRows(conProjection, ['event_id'], 'WHERE projection_id = :projection_id', 'root');
const EXECUTION = readRows(conExecution, ['projection_id'], 'WHERE execution_id = :execution_id', 'root');
const COMMAND = readRows(conExecution, ['projection_id'], 'WHERE command_id = :command_id', 'root-of-command');
const OUTBOUND = readRows(runOutboundCommand, ['execution_id'], 'WHERE outbound_command_id = :outbound_command_id', 'root');
const PERMIT = readRows(conDispatchPermit, ['effect_id'], 'WHERE permit_id = :permit_id', 'root');
const LINK = readRows(conRemoteLink, ['effect_id'], 'WHERE link_id = :link_id', 'root');

/** The receipt that any row of this path came from; undefined where there is no such row, or no receipt above it. */
export async function rootOf(db: Db, id: string): Promise<ReceiptId | undefined> {
  switch (idNameOf(id)) {
    case 'ReceiptId':
      return (await db.readOne(RECEIPT, { receipt_id: ReceiptId.parse(id) }))?.receipt_id;
    case 'EventId':
      return ofEvent(db, EventId.parse(id));
    case 'ProjectionId':
      return ofProjection(db, ProjectionId.parse(id));
    case 'ExecutionId':
      return ofExecution(db, ExecutionId.parse(id));
    case 'CommandId':
      return ofRow(db.readOne(COMMAND, { command_id: CommandId.parse(id) }), (row) => ofProjection(db, row.projection_id));
    case 'OutboundCommandId':
      return ofOutbound(db, OutboundCommandId.parse(id));
    case 'EffectId':
      return ofEffect(db, EffectId.parse(id));
    case 'PermitId':
      return ofRow(db.readOne(PERMIT, { permit_id: PermitId.parse(id) }), (row) => ofEffect(db, row.effect_id));
    case 'LinkId':
      return ofRow(db.readOne(LINK, { link_id: LinkId.parse(id) }), (row) => ofEffect(db, row.effect_id));
    default:
      return undefined;
  }
}

type Root = Promise<ReceiptId | undefined>;

async function ofRow<Row>(read: Promise<Row | undefined>, next: (row: Row) => Root): Root {
  const row = await read;
  return row && next(row);
}

async function ofEvent(db: Db, id: EventId): Root {
  return (await db.readOne(EVENT, { event_id: id }))?.receipt_id;
}

const ofProjection = (db: Db, id: ProjectionId): Root =>
  ofRow(db.readOne(PROJECTION, { projection_id: id }), (row) => ofEvent(db, row.event_id));

const ofExecution = (db: Db, id: ExecutionId): Root =>
  ofRow(db.readOne(EXECUTION, { execution_id: id }), (row) => ofProjection(db, row.projection_id));

const ofOutbound = (db: Db, id: OutboundCommandId): Root =>
  ofRow(db.readOne(OUTBOUND, { outbound_command_id: id }), (row) => ofExecution(db, row.execution_id));

/** An effect has the 16 bytes of its command (con:REFF-K). */
const ofEffect = (db: Db, id: EffectId): Root => ofOutbound(db, OutboundCommandId.of(EffectId.bytes(id)));
