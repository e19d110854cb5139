import { id } from '@connector/kernel/column';
import { EventId, ExecutionId, OutboundCommandId, ProjectionId, ReceiptId } from '@connector/kernel/ids';
import { readQuery, readRows, type Params, type Statement } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import {
  conComponent,
  conComponentRefusal,
  conEvent,
  conMaterialization,
  conProjection,
  conReceipt,
} from '@connector/schema/connector/inbound';
import { conSupersededDecision } from '@connector/schema/connector/ordering';
import { conRemoteEffect } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import { finding, type Finding, type PolicyBasis } from '../../model/explain/finding';
import { WHOLE_BODY } from '../../model/inbound/delivery';
import { examineOutboundCommand } from './effect';
import type { Examined } from './examined';
import { examineExecution } from './execution';
import { supersededFindings } from './order';
import { servingFindings } from './serving';
import type { ExplainSources } from './sources';

const RECEIPT = readRows(conReceipt, ['account', 'epoch_id', 'epoch_digest', 'admitted_at'], 'WHERE receipt_id = :receipt_id', 'explained');
const EVENT = readRows(conEvent, ['account', 'receipt_id'], 'WHERE event_id = :event_id', 'explained');
const PROJECTION = readRows(conProjection, ['account', 'event_id'], 'WHERE projection_id = :projection_id', 'explained');
const PENDING = readRows(
  conMaterialization,
  ['next_ordinal', 'since'],
  'WHERE receipt_id = :receipt_id AND ready_account IS NOT NULL',
  'pending',
);
const REFUSALS = readRows(
  conComponentRefusal,
  ['ordinal', 'code', 'message', 'refused_at'],
  'WHERE receipt_id = :receipt_id ORDER BY ordinal LIMIT 50',
  'of-receipt',
);

/** Neither completed nor decided. */
const OPEN = "(x.ready_account IS NOT NULL OR x.open_lane IS NOT NULL OR (x.state = 'quarantined' AND x.reason <> 'superseded'))";
/** At most so many unfinished rows of each kind are looked into: the first one that waits is the answer, the rest is under "also". */
const OPEN_MAX = 10;
const FINISHED = "('finalized', 'no_effect')";
const FROM = `FROM ${conProjection.name} p`;
const OF_RECEIPT = `FROM ${conComponent.name} c JOIN ${conProjection.name} p ON p.event_id = c.event_id`;
const RUN = `JOIN ${conExecution.name} x ON x.projection_id = p.projection_id`;
const OUT = `JOIN ${runOutboundCommand.name} o ON o.execution_id = x.execution_id
  LEFT JOIN ${conRemoteEffect.name} r ON r.outbound_command_id = o.outbound_command_id`;

interface Below {
  readonly executions: Statement<{ readonly execution_id: ExecutionId }>;
  readonly commands: Statement<{ readonly outbound_command_id: OutboundCommandId }>;
  readonly decisions: Statement<{ readonly projection_id: ProjectionId }>;
}

function below(label: string, from: string, where: string): Below {
  const extra = { receipt_id: id(ReceiptId), event_id: id(EventId), projection_id: id(ProjectionId) };
  return {
    executions: readQuery(
      conExecution,
      { execution_id: id(ExecutionId) },
      `SELECT x.execution_id ${from} ${RUN} ${where} AND ${OPEN} LIMIT ${OPEN_MAX}`,
      `unfinished-of-${label}`,
      extra,
    ),
    commands: readQuery(
      runOutboundCommand,
      { outbound_command_id: id(OutboundCommandId) },
      `SELECT o.outbound_command_id ${from} ${RUN} ${OUT} ${where} AND (r.state IS NULL OR r.state NOT IN ${FINISHED}) LIMIT ${OPEN_MAX}`,
      `unfinished-of-${label}`,
      extra,
    ),
    decisions: readQuery(
      conSupersededDecision,
      { projection_id: id(ProjectionId) },
      `SELECT s.projection_id ${from} JOIN ${conSupersededDecision.name} s ON s.projection_id = p.projection_id ${where} LIMIT ${OPEN_MAX}`,
      `superseded-of-${label}`,
      extra,
    ),
  };
}

const BELOW_RECEIPT = below('receipt', OF_RECEIPT, 'WHERE c.receipt_id = :receipt_id');
const BELOW_EVENT = below('event', FROM, 'WHERE p.event_id = :event_id');
const BELOW_PROJECTION = below('projection', FROM, 'WHERE p.projection_id = :projection_id');

/** A receipt, an event and a projection have no state of their own: they wait for what was made of them. */
export async function examineReceipt(db: Db, sources: ExplainSources, receiptId: ReceiptId): Promise<Examined | undefined> {
  const row = await db.readOne(RECEIPT, { receipt_id: receiptId });
  if (row === undefined) return undefined;
  const { account, epoch_id: epochId, epoch_digest: epochDigest } = row;
  const basis = { account, epochId, epochDigest };
  const pending = await pendingFindings(db, receiptId, basis);
  const refused = await refusalFindings(db, receiptId, basis);
  const findings = [...refused, ...pending, ...(await openBelow(db, sources, BELOW_RECEIPT, { receipt_id: receiptId }))];
  const state = pending.length > 0 ? 'stored' : 'materialized';
  return { kind: 'receipt', id: receiptId, state, account, basis, findings, finished: isFinished(findings) };
}

export async function examineEvent(db: Db, sources: ExplainSources, eventId: EventId): Promise<Examined | undefined> {
  const row = await db.readOne(EVENT, { event_id: eventId });
  if (row === undefined) return undefined;
  const findings = await openBelow(db, sources, BELOW_EVENT, { event_id: eventId });
  return { kind: 'event', id: eventId, state: 'recorded', account: row.account, basis: null, findings, finished: isFinished(findings) };
}

export async function examineProjection(db: Db, sources: ExplainSources, projectionId: ProjectionId): Promise<Examined | undefined> {
  const row = await db.readOne(PROJECTION, { projection_id: projectionId });
  if (row === undefined) return undefined;
  const findings = await openBelow(db, sources, BELOW_PROJECTION, { projection_id: projectionId });
  const finished = isFinished(findings);
  return { kind: 'projection', id: projectionId, state: 'derived', account: row.account, basis: null, findings, finished };
}

/** What is decided is told and owes nothing. */
const isFinished = (findings: readonly Finding[]): boolean => findings.every(({ code }) => code === 'ORDER_SUPERSEDED');

async function openBelow(
  db: Db,
  sources: ExplainSources,
  { executions, commands, decisions }: Below,
  key: Params,
): Promise<readonly Finding[]> {
  const open = [
    ...(await db.read(executions, key)).map(({ execution_id }) => examineExecution(db, sources, execution_id)),
    ...(await db.read(commands, key)).map(({ outbound_command_id }) => examineOutboundCommand(db, sources, outbound_command_id)),
  ];
  const decided = (await db.read(decisions, key)).map(({ projection_id }) => supersededFindings(db, projection_id, projection_id));
  return [...(await Promise.all(open)).flatMap((examined) => examined?.findings ?? []), ...(await Promise.all(decided)).flat()];
}

async function pendingFindings(db: Db, receiptId: ReceiptId, basis: PolicyBasis): Promise<readonly Finding[]> {
  const row = await db.readOne(PENDING, { receipt_id: receiptId });
  if (row === undefined) return [];
  const { since } = row;
  const facts = { subject: receiptId, since, alertFrom: since, basis, evidenceId: receiptId };
  return [...(await servingFindings(db, receiptId, basis)), finding('NOT_MATERIALIZED', { since, done: `${row.next_ordinal}` }, facts)];
}

const CONFLICT = 'SOURCE_EVENT_CONFLICT';

async function refusalFindings(db: Db, receiptId: ReceiptId, basis: PolicyBasis): Promise<readonly Finding[]> {
  const rows = await db.read(REFUSALS, { receipt_id: receiptId });
  return rows.map(({ ordinal, code, message, refused_at: since }) => {
    const items = ordinal === WHOLE_BODY ? 'The whole body' : `Item #${ordinal}`;
    const facts = { subject: receiptId, since, alertFrom: null, basis, evidenceId: receiptId };
    return code === CONFLICT
      ? finding('KEY_REUSED', { items, message }, facts)
      : finding('EXTRACTION_REFUSED', { items, message, refusal: code, receipt: receiptId }, facts);
  });
}
