import type { AccountName } from '@connector/kernel/brand';
import type { CommandId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import { int } from '@connector/kernel/column';
import { readQuery, readRows, type Statement } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conAuditOutbox } from '@connector/schema/connector/audit';
import { conExecution, conExecutionAttempt, conResultCorrelation } from '@connector/schema/connector/execution';
import { conAdmissionKey, conConflictingRedelivery, conMaterialization, conReceipt } from '@connector/schema/connector/inbound';
import {
  conDispatchPermit,
  conEffectEvidence,
  conEffectFeed,
  conEgressHolder,
  conRemoteEffect,
  conRemoteLink,
} from '@connector/schema/connector/outbound';
import { conExecutionDependency, conOrderingLane, conSupersededDecision } from '@connector/schema/connector/ordering';
import {
  conAccountWork,
  conChannelKeyGate,
  conCredentialGate,
  conEpoch,
  conGenesisCertificate,
  conServingGate,
} from '@connector/schema/connector/serving';
import { pckEpochPin, pckGenerationPin } from '@connector/schema/packs/packs';
import { runApplicationResult, runCommand, runCommandStart, runFeedHead, runOutboundCommand } from '@connector/schema/runtime/runtime';
import { CATALOG_READS } from './rows-catalog';
import { EPOCH_READS } from './rows-epochs';
import { SECURITY_READS } from './rows-security';
import { PACK_READS } from './rows-packs';
import { APP_READS, PUBLISHER_READS } from './rows-registry';

/** Whose rows a schedule is about. */
export interface Watch {
  readonly accounts: readonly AccountName[];
  readonly credentials?: readonly CredentialGenerationId[];
  readonly holders?: readonly string[];
  readonly epochs?: readonly EpochId[];
  readonly commands?: readonly CommandId[];
  readonly organizations?: readonly string[];
  readonly apps?: readonly string[];
  readonly publishers?: readonly string[];
  /** Further words of this schedule alone, to be taken out of its rows. */
  readonly words?: readonly string[];
}

const OF_ACCOUNT = 'WHERE account IN (:account) LIMIT 1000';
const OF_EFFECTS = `WHERE effect_id IN (SELECT effect_id FROM ${conRemoteEffect.name} WHERE account IN (:account)) LIMIT 1000`;
const OF_EXECUTIONS = `WHERE execution_id IN (SELECT execution_id FROM ${conExecution.name} WHERE account IN (:account)) LIMIT 1000`;
const OF_RECEIPTS = `WHERE receipt_id IN (SELECT receipt_id FROM ${conReceipt.name} WHERE account IN (:account)) LIMIT 1000`;
const OF_LANES = `WHERE lane_id IN (SELECT lane_id FROM ${conOrderingLane.name} WHERE account IN (:account)) LIMIT 1000`;
const accountParam = { account: conServingGate.columns.account };

const READS = {
  gates: readRows(conServingGate, ['account', 'mode', 'fence', 'epoch_id', 'epoch_digest'], OF_ACCOUNT),
  work: readRows(conAccountWork, ['stage', 'account', 'produced', 'due_at'], OF_ACCOUNT),
  channels: readRows(conChannelKeyGate, ['account', 'channel', 'fence'], OF_ACCOUNT),
  keys: readRows(conAdmissionKey, ['account', 'channel', 'transport_key', 'payload_digest', 'receipt_id'], OF_ACCOUNT),
  receipts: readRows(conReceipt, ['receipt_id', 'account', 'channel', 'transport_key', 'payload_digest', 'epoch_digest'], OF_ACCOUNT),
  conflicts: readRows(conConflictingRedelivery, ['receipt_id', 'payload_digest', 'first_seen_at'], OF_RECEIPTS, '', accountParam),
  materializations: readRows(conMaterialization, ['receipt_id', 'account', 'ready_account', 'next_ordinal'], OF_ACCOUNT),
  executions: readRows(
    conExecution,
    [
      'execution_id',
      'account',
      'projection_id',
      'state',
      'attempt_count',
      'ready_account',
      'awaiting_account',
      'epoch_digest',
      'lane_id',
      'open_lane',
      'source_position',
      'tie_breaker',
    ],
    OF_ACCOUNT,
  ),
  attempts: readRows(conExecutionAttempt, ['execution_id', 'ordinal', 'claimant', 'gate_fence'], OF_EXECUTIONS, '', accountParam),
  results: readRows(conResultCorrelation, ['execution_id', 'commit_receipt_digest'], OF_EXECUTIONS, '', accountParam),
  lanes: readRows(
    conOrderingLane,
    [
      'lane_id',
      'account',
      'ready_account',
      'contract_kind',
      'baseline_position',
      'high_water',
      'high_water_tie',
      'active_execution',
      'active_position',
      'held_reason',
      'fence',
    ],
    OF_ACCOUNT,
  ),
  superseded: readRows(
    conSupersededDecision,
    ['projection_id', 'lane_id', 'execution_id', 'source_position', 'tie_breaker', 'high_water', 'overtaken_by', 'reason'],
    OF_ACCOUNT,
    '',
    accountParam,
  ),
  gaps: readRows(
    conExecutionDependency,
    ['lane_id', 'missing_position', 'execution_id', 'state', 'disposition'],
    OF_LANES,
    '',
    accountParam,
  ),
  heads: readRows(runFeedHead, ['account', 'next_seq'], OF_ACCOUNT),
  commands: readRows(runOutboundCommand, ['outbound_command_id', 'account', 'feed_seq', 'command_id'], OF_ACCOUNT),
  feeds: readRows(conEffectFeed, ['account', 'next_seq'], OF_ACCOUNT),
  effects: readRows(
    conRemoteEffect,
    ['effect_id', 'account', 'state', 'reason', 'attempt_count', 'ready_account', 'finalize_account'],
    OF_ACCOUNT,
  ),
  permits: readRows(
    conDispatchPermit,
    [
      'permit_id',
      'effect_id',
      'attempt_ordinal',
      'account',
      'open_account',
      'gate_fence',
      'credential_generation_id',
      'credential_fence',
      'holder_id',
      'holder_fence',
      'state',
      'send_token',
    ],
    OF_ACCOUNT,
  ),
  evidence: readRows(
    conEffectEvidence,
    ['permit_id', 'effect_id', 'attempt_ordinal', 'source', 'outcome', 'evidence_digest'],
    OF_EFFECTS,
    '',
    accountParam,
  ),
  links: readRows(conRemoteLink, ['link_id', 'account', 'effect_id', 'owner_slot', 'remote_identity', 'state'], OF_ACCOUNT),
  audits: readRows(conAuditOutbox, ['audit_id', 'door'], OF_ACCOUNT),
} as const;
const CREDENTIALS = readRows(conCredentialGate, ['generation_id', 'mode', 'fence'], 'WHERE generation_id IN (:generation_id) LIMIT 100');
const HOLDERS = readRows(conEgressHolder, ['holder_id', 'fence', 'generation_id'], 'WHERE holder_id IN (:holder_id) LIMIT 100');
const EPOCHS = readRows(conEpoch, ['epoch_id', 'epoch_digest', 'state'], 'WHERE epoch_id IN (:epoch_id) LIMIT 100');
const CERTIFICATES = readRows(
  conGenesisCertificate,
  ['certificate_id', 'operation_id', 'epoch_id'],
  'WHERE epoch_id IN (:epoch_id) LIMIT 10',
);
/** Doors that span accounts. */
const SPANNING = readRows(conAuditOutbox, ['audit_id', 'door'], "WHERE account = '*' ORDER BY at DESC LIMIT 5", 'spanning');
const OUTCOMES = readRows(runApplicationResult, ['command_id', 'outcome', 'result_digest'], 'WHERE command_id IN (:command_id) LIMIT 100');

const ACCEPTED = readRows(runCommand, ['command_id', 'execution_id'], 'WHERE command_id IN (:command_id) LIMIT 100');
const STARTS = readRows(runCommandStart, ['command_id', 'starts', 'started_by'], 'WHERE command_id IN (:command_id) LIMIT 100');

const PINS = readQuery(
  pckGenerationPin,
  { epoch_id: pckEpochPin.columns.epoch_id, epoch_digest: pckEpochPin.columns.epoch_digest, generations: int() },
  `SELECT p.epoch_id, p.epoch_digest, COUNT(g.storage_id) AS generations FROM ${pckEpochPin.name} p
 LEFT JOIN ${pckGenerationPin.name} g ON g.epoch_id = p.epoch_id WHERE p.epoch_id IN (:epoch_id) GROUP BY p.epoch_id, p.epoch_digest LIMIT 100`,
);

type RowsOf<S> = S extends Statement<infer Row> ? readonly Row[] : never;
export type Rows = { readonly [K in keyof typeof READS]: RowsOf<(typeof READS)[K]> } & {
  readonly [K in keyof typeof CATALOG_READS]: RowsOf<(typeof CATALOG_READS)[K]>;
} & {
  readonly [K in keyof typeof EPOCH_READS]: RowsOf<(typeof EPOCH_READS)[K]>;
} & {
  readonly [K in keyof typeof SECURITY_READS]: RowsOf<(typeof SECURITY_READS)[K]>;
} & {
  readonly [K in keyof typeof APP_READS]: RowsOf<(typeof APP_READS)[K]>;
} & {
  readonly [K in keyof typeof PACK_READS]: RowsOf<(typeof PACK_READS)[K]>;
} & {
  readonly [K in keyof typeof PUBLISHER_READS]: RowsOf<(typeof PUBLISHER_READS)[K]>;
} & {
  readonly credentials: RowsOf<typeof CREDENTIALS>;
  readonly holders: RowsOf<typeof HOLDERS>;
  readonly epochs: RowsOf<typeof EPOCHS>;
  readonly certificates: RowsOf<typeof CERTIFICATES>;
  readonly outcomes: RowsOf<typeof OUTCOMES>;
  readonly accepted: RowsOf<typeof ACCEPTED>;
  readonly starts: RowsOf<typeof STARTS>;
  readonly pins: RowsOf<typeof PINS>;
  readonly spanning: RowsOf<typeof SPANNING>;
};

interface Question {
  readonly name: keyof Rows;
  readonly table: string;
  readonly ask: (db: Db, watch: Watch) => Promise<readonly unknown[]>;
}

/** No question where there is nothing to ask about: an IN list is never empty. */
const some = <T>(list: readonly T[] | undefined, ask: (list: readonly T[]) => Promise<readonly unknown[]>): Promise<readonly unknown[]> =>
  list === undefined || list.length === 0 ? Promise.resolve([]) : ask(list);

const QUESTIONS: readonly Question[] = [
  ...Object.entries(READS).map(([name, statement]): Question => ({
    name: name as keyof Rows,
    table: statement.table.name,
    ask: (db, { accounts }) => some(accounts, (account) => db.read(statement as Statement, { account })),
  })),
  ...Object.entries(CATALOG_READS).map(([name, statement]): Question => ({
    name: name as keyof Rows,
    table: statement.table.name,
    ask: (db, { organizations }) => some(organizations, (organization_id) => db.read(statement as Statement, { organization_id })),
  })),
  ...Object.entries(EPOCH_READS).map(([name, statement]): Question => ({
    name: name as keyof Rows,
    table: statement.table.name,
    ask: (db, { epochs }) => some(epochs, (epoch_id) => db.read(statement as Statement, { epoch_id })),
  })),
  ...Object.entries(SECURITY_READS).map(([name, statement]): Question => ({
    name: name as keyof Rows,
    table: statement.table.name,
    ask: (db, { organizations }) => some(organizations, (organization_id) => db.read(statement as Statement, { organization_id })),
  })),
  ...Object.entries(PACK_READS).map(([name, statement]): Question => ({
    name: name as keyof Rows,
    table: statement.table.name,
    ask: (db, { organizations }) => some(organizations, (organization_id) => db.read(statement as Statement, { organization_id })),
  })),
  ...Object.entries(APP_READS).map(([name, statement]): Question => ({
    name: name as keyof Rows,
    table: statement.table.name,
    ask: (db, { apps }) => some(apps, (app_id) => db.read(statement as Statement, { app_id })),
  })),
  ...Object.entries(PUBLISHER_READS).map(([name, statement]): Question => ({
    name: name as keyof Rows,
    table: statement.table.name,
    ask: (db, { publishers }) => some(publishers, (publisher_id) => db.read(statement as Statement, { publisher_id })),
  })),
  {
    name: 'credentials',
    table: conCredentialGate.name,
    ask: (db, { credentials }) => some(credentials, (generation_id) => db.read(CREDENTIALS, { generation_id })),
  },
  { name: 'holders', table: conEgressHolder.name, ask: (db, { holders }) => some(holders, (holder_id) => db.read(HOLDERS, { holder_id })) },
  { name: 'epochs', table: conEpoch.name, ask: (db, { epochs }) => some(epochs, (epoch_id) => db.read(EPOCHS, { epoch_id })) },
  {
    name: 'accepted',
    table: runCommand.name,
    ask: (db, { commands }) => some(commands, (command_id) => db.read(ACCEPTED, { command_id })),
  },
  {
    name: 'starts',
    table: runCommandStart.name,
    ask: (db, { commands }) => some(commands, (command_id) => db.read(STARTS, { command_id })),
  },
  {
    name: 'pins',
    table: pckGenerationPin.name,
    ask: (db, { epochs }) => some(epochs, (epoch_id) => db.read(PINS, { epoch_id })),
  },
  { name: 'spanning', table: conAuditOutbox.name, ask: (db) => db.read(SPANNING, {}) },
  {
    name: 'certificates',
    table: conGenesisCertificate.name,
    ask: (db, { epochs }) => some(epochs, (epoch_id) => db.read(CERTIFICATES, { epoch_id })),
  },
  {
    name: 'outcomes',
    table: runApplicationResult.name,
    ask: (db, { commands }) => some(commands, (command_id) => db.read(OUTCOMES, { command_id })),
  },
];

/** The committed rows; with `before`, only those of the tables that were written since. */
export async function readAll(db: Db, watch: Watch, before?: Rows, wrote: readonly string[] = []): Promise<Rows> {
  const stale = QUESTIONS.filter(({ table }) => before === undefined || wrote.includes(table));
  const answers = await Promise.all(stale.map(async ({ name, ask }) => [name, await ask(db, watch)] as const));
  return { ...before, ...Object.fromEntries(answers) } as Rows;
}
