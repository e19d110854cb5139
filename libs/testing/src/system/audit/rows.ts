import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conAuditOutbox } from '@connector/schema/connector/audit';
import { conExecution, conExecutionAttempt, conResultCorrelation } from '@connector/schema/connector/execution';
import {
  conAdmissionKey,
  conComponent,
  conComponentRefusal,
  conConflictingRedelivery,
  conEvent,
  conMaterialization,
  conProjection,
  conReceipt,
} from '@connector/schema/connector/inbound';
import { conSupersededDecision } from '@connector/schema/connector/ordering';
import {
  conDispatchPermit,
  conEffectAttempt,
  conEffectEvidence,
  conEffectFeed,
  conEgressHolderGeneration,
  conRemoteEffect,
  conRemoteLink,
} from '@connector/schema/connector/outbound';
import { conCredentialGate, conServingGate } from '@connector/schema/connector/serving';
import { ctlCredentialDecision, ctlIsolation, ctlTermination } from '@connector/schema/control/control';
import { runApplicationResult, runCommand, runOutboundCommand } from '@connector/schema/runtime/runtime';
import { appSelects } from './app-rows';

/** More than any run of a test makes; an audit that met it would be of a part only, and says so. */
export const ROWS_MAX = 100_000;
const ALL = `LIMIT ${ROWS_MAX}`;

const SELECTS = {
  receipts: readRows(conReceipt, ['receipt_id', 'account', 'channel', 'transport_key', 'payload_digest'], ALL, 'audited'),
  admissionKeys: readRows(conAdmissionKey, ['account', 'channel', 'transport_key', 'payload_digest', 'receipt_id'], ALL, 'audited'),
  conflicts: readRows(conConflictingRedelivery, ['receipt_id', 'payload_digest'], ALL, 'audited'),
  materializations: readRows(conMaterialization, ['receipt_id', 'ready_account', 'next_ordinal'], ALL, 'audited'),
  components: readRows(conComponent, ['receipt_id', 'ordinal', 'event_id'], ALL, 'audited'),
  refusals: readRows(conComponentRefusal, ['receipt_id', 'ordinal', 'code'], ALL, 'audited'),
  events: readRows(conEvent, ['event_id', 'account', 'receipt_id'], ALL, 'audited'),
  projections: readRows(conProjection, ['projection_id', 'event_id', 'route_identity'], ALL, 'audited'),
  executions: readRows(
    conExecution,
    [
      'execution_id',
      'account',
      'projection_id',
      'state',
      'command_id',
      'execution_ref_digest',
      'ready_account',
      'open_lane',
      'attempt_count',
    ],
    ALL,
    'audited',
  ),
  executionAttempts: readRows(conExecutionAttempt, ['execution_id', 'ordinal'], ALL, 'audited'),
  correlations: readRows(conResultCorrelation, ['execution_id', 'command_id', 'execution_ref_digest', 'result_digest'], ALL, 'audited'),
  commands: readRows(runCommand, ['command_id', 'execution_id', 'execution_ref_digest'], ALL, 'audited'),
  results: readRows(runApplicationResult, ['command_id', 'execution_ref_digest', 'result_digest'], ALL, 'audited'),
  outbound: readRows(
    runOutboundCommand,
    ['outbound_command_id', 'command_id', 'execution_id', 'account', 'feed_seq', 'effect_slot', 'intent', 'request', 'request_digest'],
    ALL,
    'audited',
  ),
  feeds: readRows(conEffectFeed, ['account', 'next_seq'], ALL, 'audited'),
  effects: readRows(
    conRemoteEffect,
    [
      'effect_id',
      'outbound_command_id',
      'account',
      'state',
      'reason',
      'request_digest',
      'attempt_count',
      'ready_account',
      'uncertain_account',
    ],
    ALL,
    'audited',
  ),
  superseded: readRows(conSupersededDecision, ['projection_id', 'execution_id', 'lane_id', 'reason'], ALL, 'audited'),
  effectAttempts: readRows(conEffectAttempt, ['effect_id', 'ordinal'], ALL, 'audited'),
  permits: readRows(
    conDispatchPermit,
    [
      ...(['permit_id', 'effect_id', 'attempt_ordinal', 'account', 'open_account', 'holder_id', 'holder_fence'] as const),
      ...(['credential_generation_id', 'credential_fence', 'state', 'send_token', 'io_may_have_started', 'closed_at'] as const),
    ],
    ALL,
    'audited',
  ),
  evidence: readRows(
    conEffectEvidence,
    ['permit_id', 'effect_id', 'attempt_ordinal', 'source', 'outcome', 'io_started', 'remote_identity', 'termination_id', 'isolation_id'],
    ALL,
    'audited',
  ),
  links: readRows(conRemoteLink, ['link_id', 'effect_id', 'state'], ALL, 'audited'),
  holders: readRows(conEgressHolderGeneration, ['holder_id', 'fence', 'generation_id'], ALL, 'audited'),
  terminations: readRows(ctlTermination, ['generation_id', 'termination_id'], ALL, 'audited'),
  isolations: readRows(ctlIsolation, ['generation_id', 'isolation_id'], ALL, 'audited'),
  gates: readRows(conServingGate, ['account', 'mode'], ALL, 'audited'),
  credentialGates: readRows(conCredentialGate, ['generation_id', 'mode', 'fence'], ALL, 'audited'),
  decisions: readRows(ctlCredentialDecision, ['generation_id', 'fence', 'verb'], ALL, 'audited'),
  moves: readRows(conAuditOutbox, ['audit_id', 'door', 'items'], ALL, 'audited'),
  ...appSelects(ALL),
};

/** Everything of the path that is in the database, as its columns decode it. */
export type Rows = { readonly [K in keyof typeof SELECTS]: readonly ReturnType<(typeof SELECTS)[K]['decode']>[] };

export async function readAllRows(db: Db): Promise<Rows> {
  const found: [string, readonly unknown[]][] = [];
  for (const [name, statement] of Object.entries(SELECTS)) {
    const rows = await db.read<unknown>(statement, {});
    if (rows.length >= ROWS_MAX) throw new RangeError(`${name}: more than ${ROWS_MAX} rows`);
    found.push([name, rows]);
  }
  return Object.fromEntries(found) as Rows;
}
