import type { AccountName, CredentialFence, HolderFence, Instant } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import {
  AuditId,
  CommandId,
  CredentialGenerationId,
  EffectId,
  EventId,
  ExecutionId,
  GenerationId,
  IsolationId,
  LinkId,
  OutboundCommandId,
  PermitId,
  ProjectionId,
  ReceiptId,
  SendToken,
  TerminationId,
} from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import type { Entry } from '@connector/services/provider-simulator/src/entry';
import type { Sent } from '../source';
import { installedRows } from './apps.fixture';
import type { History } from './finding';
import type { Rows } from './rows';

const digest = (text: string): Digest => Digest.sha256(Buffer.from(text, 'utf8'));
const HOOK = 'larkspur/acme' as AccountName;
const DESK = 'tern/acme' as AccountName;
const AT = '2026-01-01T00:00:00.000000Z' as Instant;
const FENCE = 1n as HolderFence;
export const CREDENTIAL = CredentialGenerationId.mint();
const CREDENTIAL_FENCE = 1n as CredentialFence;

const idsOf = () => {
  const effect = EffectId.mint();
  return {
    ...{ receipt: ReceiptId.mint(), event: EventId.mint(), projection: ProjectionId.mint(), execution: ExecutionId.mint() },
    ...{ command: CommandId.mint(), effect, outbound: OutboundCommandId.of(EffectId.bytes(effect)), permit: PermitId.mint() },
  };
};
type Ids = ReturnType<typeof idsOf>;

/** One delivery that became one settled call, in three ledgers that agree: what violations are planted in. */
export function cleanHistory(): History {
  const ids = idsOf();
  const { permit, effect } = ids;
  const body = Buffer.from('{"external_ref":"r1"}', 'utf8');
  const rows: Rows = {
    ...inboundRows(ids),
    ...executionRows(ids),
    ...commandRows(ids, body),
    ...permitRows(ids),
    ...installedRows(),
    gates: [HOOK, DESK].map((account) => ({ account, mode: 'v2_serving' })),
    moves: [
      moveOf('grant', { permit, effect, from: 'prepared', to: 'dispatching' }),
      moveOf('start-sending', { permit, from: 'granted', to: 'sending' }),
      moveOf('settle-permits', { permit, from: 'sending', to: 'returned', effect }),
    ],
  };
  return { rows, sent: [sentOf(ids.receipt)], provider: [entryOf(body)], explained: new Map() };
}

function inboundRows({ receipt, event, projection }: Ids) {
  const key = { account: HOOK, channel: 'hook', transport_key: 'msg_1', payload_digest: digest('payload'), receipt_id: receipt };
  return {
    receipts: [key],
    admissionKeys: [key],
    materializations: [],
    components: [{ receipt_id: receipt, ordinal: 0, event_id: event }],
    refusals: [],
    conflicts: [],
    events: [{ event_id: event, account: HOOK, receipt_id: receipt }],
    projections: [{ projection_id: projection, event_id: event, route_identity: digest('route') }],
  };
}

function executionRows({ execution, projection, command }: Ids) {
  const ref = digest('ref');
  return {
    executions: [
      {
        ...{ execution_id: execution, account: HOOK, projection_id: projection, state: 'completed', command_id: command },
        ...{ execution_ref_digest: ref, ready_account: null, open_lane: null, attempt_count: 1 },
      },
    ],
    superseded: [],
    executionAttempts: [{ execution_id: execution, ordinal: 1 }],
    correlations: [{ execution_id: execution, command_id: command, execution_ref_digest: ref, result_digest: digest('result') }],
    commands: [{ command_id: command, execution_id: execution, execution_ref_digest: ref }],
    results: [{ command_id: command, execution_ref_digest: ref, result_digest: digest('result') }],
  };
}

function commandRows({ outbound, command, execution, effect }: Ids, body: Buffer) {
  const request = jcs({ method: 'POST', target: '/v1/tickets', headers: [], body_base64: body.toString('base64') });
  return {
    outbound: [
      {
        ...{ outbound_command_id: outbound, command_id: command, execution_id: execution, account: DESK, feed_seq: 1n },
        ...{ effect_slot: 'ticket.create', intent: 'open-ticket', request, request_digest: digest('request') },
      },
    ],
    feeds: [{ account: DESK, next_seq: 2n }],
    effects: [
      {
        ...{ effect_id: effect, outbound_command_id: outbound, account: DESK, state: 'finalized', reason: null },
        ...{ request_digest: digest('request'), attempt_count: 1, ready_account: null, uncertain_account: null },
      },
    ],
    effectAttempts: [{ effect_id: effect, ordinal: 1 }],
    links: [{ link_id: LinkId.mint(), effect_id: effect, state: 'active' }],
  };
}

function permitRows({ permit, effect }: Ids) {
  const attempt = { effect_id: effect, attempt_ordinal: 1 };
  return {
    permits: [
      {
        ...{ permit_id: permit, ...attempt, account: DESK, open_account: null, holder_id: 'egress-1', holder_fence: FENCE },
        ...{ credential_generation_id: CREDENTIAL, credential_fence: CREDENTIAL_FENCE },
        ...{ state: 'returned', send_token: SendToken.mint(), io_may_have_started: true, closed_at: AT },
      },
    ],
    evidence: [
      {
        ...{ permit_id: permit, ...attempt, source: 'settlement', outcome: 'remote_confirmed', io_started: true },
        ...{ remote_identity: 'tck_000001', termination_id: null, isolation_id: null },
      },
    ],
    holders: [{ holder_id: 'egress-1', fence: FENCE, generation_id: GenerationId.mint() }],
    terminations: [{ generation_id: GenerationId.mint(), termination_id: TerminationId.mint() }],
    isolations: [{ generation_id: GenerationId.mint(), isolation_id: IsolationId.mint() }],
    credentialGates: [{ generation_id: CREDENTIAL, mode: 'enabled', fence: CREDENTIAL_FENCE }],
    decisions: [],
  };
}

export const moveOf = (door: string, item: Readonly<Record<string, string>>): Rows['moves'][number] => ({
  audit_id: AuditId.mint(),
  door,
  items: jcs([item]),
});

function sentOf(receiptId: string): Sent {
  const answers = [{ kind: 'answered' as const, status: 202, receiptId }];
  return { account: HOOK, channel: 'hook', transportKey: 'msg_1', payloadDigest: digest('payload'), items: 1, answers };
}

export function entryOf(body: Buffer): Entry {
  return {
    ...{ n: 1, at: '2026-01-01T00:00:00.000Z', host: 'desk.tern.example', method: 'POST', target: '/v1/tickets', headers: [] },
    ...{ credential: true, key: 'r1', request: 'whole', bytes: body.length, body: body.toString('base64'), fault: null },
    ...{ executed: true, replayed: false, status: 201, answer: 'whole' },
  };
}
