import type { AccountName } from '@connector/kernel/brand';
import { nullable } from '@connector/kernel/column';
import {
  CredentialGenerationId,
  EffectId,
  EpochId,
  ExecutionId,
  GenerationId,
  LaneId,
  OutboundCommandId,
  PermitId,
  ProjectionId,
  ReceiptId,
} from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution, conExecutionAttempt } from '@connector/schema/connector/execution';
import { conComponentRefusal, conMaterialization } from '@connector/schema/connector/inbound';
import {
  conDispatchPermit,
  conEffectAttempt,
  conEffectEvidence,
  conRemoteEffect,
  conRemoteLink,
} from '@connector/schema/connector/outbound';
import { conCredentialGate, conEpoch, conServingGate } from '@connector/schema/connector/serving';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import type { EvidenceRow } from '../../model/explain/explanation';
import type { EvidenceName } from '../../model/explain/reason';
import { EPOCH_WITH_VERDICT } from './epoch';
import { kindOf, laneView, readLaneRow } from '../ordering/lane-row';
import { gapsOf } from '../ordering/gaps';
import { commandOf } from './execution';
import { readDecision } from './order';
import { PERMIT_WITH_HOLDER } from './permit';
import { REGISTRATION } from './process';
import type { ExplainSources } from './sources';

const LIMIT = 'LIMIT 50';
const GATE = readRows(
  conServingGate,
  ['account', 'mode', 'fence', 'epoch_id', 'changed_operation', 'changed_by', 'reason', 'changed_at'],
  'WHERE account = :account',
  'evidence',
);
const OPEN_PERMITS = readRows(
  conDispatchPermit,
  ['permit_id', 'effect_id', 'state', 'holder_id', 'holder_fence', 'granted_at', 'sending_at'],
  `WHERE open_account = :open_account ORDER BY permit_id ${LIMIT}`,
  'evidence',
);
const EPOCH = readRows(conEpoch, ['epoch_id', 'epoch_digest', 'state', 'changed_at'], 'WHERE epoch_id = :epoch_id', 'evidence');
const CREDENTIAL = readRows(
  conCredentialGate,
  ['generation_id', 'mode', 'fence', 'changed_at'],
  'WHERE generation_id = :generation_id',
  'evidence',
);
const MATERIALIZATION = readRows(conMaterialization, ['receipt_id', 'next_ordinal', 'since'], 'WHERE receipt_id = :receipt_id', 'evidence');
const REFUSALS = readRows(
  conComponentRefusal,
  ['receipt_id', 'ordinal', 'code', 'message', 'refused_at'],
  `WHERE receipt_id = :receipt_id ORDER BY ordinal ${LIMIT}`,
  'evidence',
);
const EXECUTION = readRows(
  conExecution,
  ['execution_id', 'account', 'state', 'attempt_count', 'due_at', 'minted_at', 'command_id'],
  'WHERE execution_id = :execution_id',
  'evidence',
);
const ATTEMPTS = readRows(
  conExecutionAttempt,
  ['execution_id', 'ordinal', 'claimant', 'leased_until', 'claimed_at'],
  `WHERE execution_id = :execution_id ORDER BY ordinal DESC ${LIMIT}`,
  'evidence',
);
const COMMAND = readRows(
  runOutboundCommand,
  ['outbound_command_id', 'account', 'feed_seq', 'intent', 'effect_slot', 'credential_generation_id', 'authored_at'],
  'WHERE outbound_command_id = :outbound_command_id',
  'evidence',
);
const EFFECT = readRows(
  conRemoteEffect,
  ['effect_id', 'account', 'state', 'reason', 'attempt_count', 'due_at', 'changed_at', 'credential_generation_id'],
  'WHERE effect_id = :effect_id',
  'evidence',
);
/** Every attempt with its permit and, once that closed, what is known of the call. */
const EFFECT_ATTEMPTS = readQuery(
  conEffectAttempt,
  {
    attempt_ordinal: conEffectAttempt.columns.ordinal,
    claimed_at: conEffectAttempt.columns.claimed_at,
    permit_id: nullable(conDispatchPermit.columns.permit_id),
    permit_state: nullable(conDispatchPermit.columns.state),
    source: nullable(conEffectEvidence.columns.source),
    outcome: nullable(conEffectEvidence.columns.outcome),
    io_started: nullable(conEffectEvidence.columns.io_started),
    status: conEffectEvidence.columns.status,
    remote_identity: conEffectEvidence.columns.remote_identity,
    detail: nullable(conEffectEvidence.columns.detail),
    recorded_at: nullable(conEffectEvidence.columns.recorded_at),
  },
  `SELECT a.ordinal AS attempt_ordinal, a.claimed_at, p.permit_id, p.state AS permit_state, v.source, v.outcome, v.io_started, v.status,
          v.remote_identity, v.detail, v.recorded_at
     FROM ${conEffectAttempt.name} a
     LEFT JOIN ${conDispatchPermit.name} p ON p.effect_id = a.effect_id AND p.attempt_ordinal = a.ordinal
     LEFT JOIN ${conEffectEvidence.name} v ON v.permit_id = p.permit_id
    WHERE a.effect_id = :effect_id ORDER BY a.ordinal ${LIMIT}`,
  'evidence',
);
/** The active link of this account that has the remote record which the effect proved. */
const LINKS = readQuery(
  conRemoteLink,
  {
    link_id: conRemoteLink.columns.link_id,
    effect_id: conRemoteLink.columns.effect_id,
    owner_slot: conRemoteLink.columns.owner_slot,
    remote_identity: conRemoteLink.columns.remote_identity,
    linked_at: conRemoteLink.columns.linked_at,
  },
  `SELECT l.link_id, l.effect_id, l.owner_slot, l.remote_identity, l.linked_at FROM ${conEffectEvidence.name} v
  JOIN ${conRemoteEffect.name} e ON e.effect_id = v.effect_id
  JOIN ${conRemoteLink.name} l ON l.account = e.account AND l.active_remote = v.remote_identity
 WHERE v.effect_id = :effect_id ${LIMIT}`,
  'in-the-way',
  { effect_id: conRemoteEffect.columns.effect_id },
);

type Ask = (db: Db, id: string, sources: ExplainSources) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The Runtime's rows are asked of the Runtime's owner. */
const handover: Ask = async (db, id, sources) => {
  const executionId = ExecutionId.parse(id);
  const commandId = await commandOf(db, executionId);
  const found = commandId === undefined ? undefined : await sources.handover(commandId);
  return found === undefined ? [] : [{ execution_id: executionId, ...found }];
};

/** The credential's rows are asked of control. */
const authored: Ask = async (_db, id, sources) => {
  const found = await sources.authored(CredentialGenerationId.parse(id));
  return found === undefined ? [] : [{ ...found }];
};

const lane: Ask = async (db, id) => {
  const row = await readLaneRow(db, LaneId.parse(id));
  return row === undefined ? [] : [{ ...laneView(row) }];
};

const gaps: Ask = async (db, id) => {
  const row = await readLaneRow(db, LaneId.parse(id));
  if (row === undefined) return [];
  const { high_water } = laneView(row);
  return (await gapsOf(db, row.lane_id, kindOf(row))).map((each) => ({ high_water, ...each }));
};

/** An account passed the catalogue as text and comes back as the name that it was. */
const account = (text: string): AccountName => text as AccountName;

const QUERIES: Readonly<Record<EvidenceName, Ask>> = {
  'gate.row': (db, id) => db.read(GATE, { account: account(id) }),
  'gate.open_permits': (db, id) => db.read(OPEN_PERMITS, { open_account: account(id) }),
  'epoch.row': (db, id) => db.read(EPOCH, { epoch_id: EpochId.parse(id) }),
  'epoch.verdict': (db, id) => db.read(EPOCH_WITH_VERDICT, { epoch_id: EpochId.parse(id) }),
  'credential.authored': authored,
  'process.receipts': (db, id) => db.read(REGISTRATION, { generation_id: GenerationId.parse(id) }),
  'credential.gate': (db, id) => db.read(CREDENTIAL, { generation_id: CredentialGenerationId.parse(id) }),
  'receipt.materialization': (db, id) => db.read(MATERIALIZATION, { receipt_id: ReceiptId.parse(id) }),
  'receipt.refusals': (db, id) => db.read(REFUSALS, { receipt_id: ReceiptId.parse(id) }),
  'execution.row': (db, id) => db.read(EXECUTION, { execution_id: ExecutionId.parse(id) }),
  'execution.attempts': (db, id) => db.read(ATTEMPTS, { execution_id: ExecutionId.parse(id) }),
  'execution.handover': handover,
  'order.lane': lane,
  'order.gap': gaps,
  'order.superseded': (db, id) => readDecision(db, ProjectionId.parse(id)),
  'command.row': (db, id) => db.read(COMMAND, { outbound_command_id: OutboundCommandId.parse(id) }),
  'effect.row': (db, id) => db.read(EFFECT, { effect_id: EffectId.parse(id) }),
  'effect.attempts': (db, id) => db.read(EFFECT_ATTEMPTS, { effect_id: EffectId.parse(id) }),
  'effect.links': (db, id) => db.read(LINKS, { effect_id: EffectId.parse(id) }),
  'permit.holder': (db, id) => db.read(PERMIT_WITH_HOLDER, { permit_id: PermitId.parse(id) }),
};

/** At most 50 rows, as JSON: numbers of 64 bits are texts, bytes are left out. */
export async function readEvidence(db: Db, sources: ExplainSources, name: EvidenceName, id: string): Promise<readonly EvidenceRow[]> {
  return (await QUERIES[name](db, id, sources)).map(plainRow);
}

export function plainRow(row: Readonly<Record<string, unknown>>): EvidenceRow {
  return Object.fromEntries(Object.entries(row).flatMap(([name, value]) => plain(name, value)));
}

function plain(name: string, value: unknown): [string, string | number | boolean | null][] {
  if (typeof value === 'bigint') return [[name, value.toString()]];
  const kept = value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return kept ? [[name, value]] : [];
}
