import { Digest } from '@connector/kernel/digest';
import { EffectId, EpochId, ExecutionId, LaneId, OperationId, OutboundCommandId, PermitId } from '@connector/kernel/ids';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { finalizeEffects } from '@connector/connector/transitions/outbound/finalize-effects.tx';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import type { Delivery } from '@connector/connector/model/inbound/delivery';
import { renderLineage } from '@connector/connector/model/lineage/render';
import { nodesOf, type Lineage } from '@connector/connector/model/lineage/lineage';
import type { RunningService } from '@connector/platform/host/service';
import { runApplicationResult, runCommand } from '@connector/schema/runtime/runtime';
import { operator } from '@connector/services/operator/src/operator.service';
import { READS } from '@connector/services/operator/src/api/routes';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { readyExecutions, receiptFor, runtimeCommand } from '@connector/testing/fixtures/execution';
import {
  authored,
  CONFIRMED,
  granted,
  type HeldPermit,
  insertRow,
  registered,
  sending,
  settlement,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { underOneKey } from '@connector/testing/fixtures/conflict';
import { claimantStandIn, type ClaimantStandIn } from './claimant-stand-in.fixture';
import { arrive, claimLane, laneOf, record, strictRoute } from '@connector/testing/fixtures/ordered';
import { countOf } from '@connector/testing/fixtures/serving';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let home: TestHome;
let epoch: DemoEpoch;
let service: RunningService;
let contract: OpenApiContract;
let cli: Calls;
let holder: TestHolder;
let claimant: ClaimantStandIn;

const MOVES = ['con_operation', 'con_audit_outbox', 'con_effect_evidence'];
const written = async (): Promise<number> => {
  let count = 0;
  for (const table of MOVES) count += await countOf(schema, table);
  return count;
};

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli']);
  claimant = await claimantStandIn();
  service = await bootOn(operator, schema, home, { CONNECTOR_CLAIMANT_URL: claimant.url });
  contract = await servedContract(service, 'cli');
  cli = callsTo(service, 'cli', contract.accept);
});
beforeEach(async () => {
  await schema.reset();
  epoch = await demoEpoch(schema);
  holder = await registered(schema);
});
afterAll(async () => {
  await service.stop();
  await claimant.close();
  await schema.close();
  await home.remove();
});

const permitOfDestination = async (sequence = 1): Promise<HeldPermit> => {
  await authored(schema, epoch.destination, sequence, epoch.credentialGenerationId);
  return (await granted(schema.db, epoch.destination, holder))[0] as HeldPermit;
};
const reasonOf = ({ body }: Answered): unknown => (body['reason'] as { code?: string } | null)?.code;

/** From a delivery to a linked effect, by the doors. */
async function wholeChain(key: string): Promise<{ executionId: ExecutionId; effectId: EffectId; permit: HeldPermit }> {
  const [executionId] = (await readyExecutions(schema, epoch.source, [key])) as [ExecutionId];
  await claimExecutions(schema.db, epoch.source, { claimant: 'claimant-1', leaseMs: 60_000, executions: [executionId] });
  const receipt = await receiptFor(schema, executionId);
  const ids = { command_id: receipt.commandId, execution_ref_digest: receipt.executionRefDigest };
  const { kind, businessKey, definitionVersion, packGenerationStorageId, input, inputDigest } = runtimeCommand(
    epoch.source,
    Buffer.from('{}'),
  );
  await insertRow(schema, runCommand, {
    ...{ ...ids, account: SOURCE, execution_id: executionId, epoch_id: epoch.epochId, epoch_digest: epoch.source.epochDigest },
    ...{ pack_generation_storage_id: packGenerationStorageId, kind, business_key: businessKey, definition_version: definitionVersion },
    ...{ input, input_digest: inputDigest, accepted_by: null },
  });
  const proof = {
    result_digest: receipt.resultDigest,
    commit_receipt: receipt.commitReceipt,
    commit_receipt_digest: receipt.commitReceiptDigest,
  };
  await insertRow(schema, runApplicationResult, {
    ...ids,
    outcome: 'applied',
    reason: null,
    detail: null,
    result: Buffer.from('{}'),
    ...proof,
  });
  await recordResults(schema.db, SOURCE, [receipt]);
  const effectId = await authored(schema, epoch.destination, 1, epoch.credentialGenerationId, { execution_id: executionId });
  const [permit] = (await granted(schema.db, epoch.destination, holder)) as [HeldPermit];
  const token = await sending(schema.db, holder, epoch.credentialGenerationId, [permit]);
  await settlePermits(schema.db, settlement(epoch.destination, holder, token, [permit], CONFIRMED));
  await finalizeEffects(schema.db, { operationId: OperationId.mint(), account: DESTINATION, effectIds: [effectId] });
  return { executionId, effectId, permit };
}

describe('contract › operator reads', () => {
  it('200 with one screen of status: gates, epoch, what waits, due stages', async () => {
    await readyExecutions(schema, epoch.source, ['a', 'b']);
    const { status, body } = await cli.get('/v1/status');
    expect(status).toBe(200);
    expect(body['gates']).toMatchObject([
      { account: SOURCE, mode: 'v2_serving', fence: `${epoch.source.fence}`, epoch: epoch.epochId },
      { account: DESTINATION },
    ]);
    expect(body['epochs']).toEqual([{ id: epoch.epochId, state: 'active' }]);
    expect(body['waiting']).toMatchObject({ executions: 2, permits: 0 });
    expect(body['stages']).toMatchObject([{ stage: 'execution', accounts_due: 1 }]);
  });

  it('200 with the wakes as the claimant sees them; it is asked under a token, and one that says nothing costs the status nothing', async () => {
    const wakes = async (): Promise<unknown> => (await cli.get('/v1/status')).body['wakes'];
    expect(await wakes()).toEqual({ kind: 'unknown', detail: 'there is no token for the claimant' });
    await tokensFor(home, 'execution-claimant', ['operator']);
    const seen = { adapter: 'kafka', state: 'hearing', by_wake: { count: 3, median_ms: 12 }, by_poll: { count: 0, median_ms: null } };
    claimant.answer = { status: 200, body: seen };
    expect(await wakes()).toEqual({ kind: 'seen', seen });
    expect(claimant.asked).toEqual(['/v1/wakes Bearer operator-to-execution-claimant']);
    claimant.answer = { status: 503, body: {} };
    expect(await wakes()).toEqual({ kind: 'unknown', detail: 'the claimant does not answer' });
  });

  it('200 with a list, newest first, that goes on after its last row and filters by account and state', async () => {
    const ids = await readyExecutions(schema, epoch.source, ['a', 'b', 'c']);
    const first = await cli.get('/v1/executions?limit=2');
    const rows = first.body['rows'] as { execution_id: string }[];
    const second = await cli.get(`/v1/executions?limit=2&after=${String(first.body['next'])}`);
    const rest = second.body['rows'] as { execution_id: string }[];
    expect([...rows, ...rest].map((row) => row.execution_id).toSorted()).toEqual([...ids].toSorted());
    expect([rows.length, second.body['next']]).toEqual([2, null]);
    expect((await cli.get(`/v1/executions?state=completed`)).body['rows']).toEqual([]);
    expect((await cli.get(`/v1/executions?account=${DESTINATION}`)).body['rows']).toEqual([]);
  });

  it('200 with one row by its id or its last six, without payload; 404 for no row', async () => {
    const [id] = (await readyExecutions(schema, epoch.source, ['a'])) as [ExecutionId];
    expect((await cli.get(`/v1/executions/${id}`)).body).toMatchObject({ execution_id: id, state: 'ready' });
    const [receipt] = (await cli.get('/v1/receipts')).body['rows'] as Record<string, unknown>[] as [Record<string, unknown>];
    expect(receipt).toMatchObject({ account: SOURCE, state: 'materialized', payload_bytes: 1 });
    expect(Object.keys(receipt)).not.toContain('payload');
    expect((await cli.get(`/v1/receipts/rcp_…${String(receipt['receipt_id']).slice(-6)}`)).body).toEqual(receipt);
    expect((await cli.get(`/v1/executions/${ExecutionId.mint()}`)).status).toBe(404);
  });

  it('400 with the candidates where a short id means several rows', async () => {
    const one = Buffer.alloc(16, 1);
    const ids = [one, Buffer.concat([Buffer.of(9), one.subarray(1)])].map((bytes) => PermitId.of(bytes));
    const { permitId } = await permitOfDestination();
    await schema.sql('UPDATE con_dispatch_permit SET permit_id = ? WHERE permit_id = ?', [
      PermitId.bytes(ids[0] as PermitId),
      PermitId.bytes(permitId),
    ]);
    const { permitId: other } = await permitOfDestination(2);
    await schema.sql('UPDATE con_dispatch_permit SET permit_id = ? WHERE permit_id = ?', [
      PermitId.bytes(ids[1] as PermitId),
      PermitId.bytes(other),
    ]);
    const { status, body } = await cli.get(`/v1/explain/prm_${(ids[0] as PermitId).slice(-6)}`);
    expect([status, body['code']]).toEqual([400, 'HOUSE:operator:ShortIdAmbiguous']);
    expect((body['candidates'] as string[]).toSorted()).toEqual(ids.toSorted());
  });

  it('200 with the explanation of an id, its alert time from the frozen policies of the epoch (con:LIV-04)', async () => {
    const [id] = (await readyExecutions(schema, epoch.source, ['a'])) as [ExecutionId];
    const { status, body } = await cli.get(`/v1/explain/${id}`);
    expect([status, reasonOf({ status, body })]).toEqual([200, 'NOT_PICKED_UP']);
    expect(body['alert']).toMatchObject({ declared_by: epoch.configurationId, passed: false, effect: 'notify_only' });
    expect((await cli.get(`/v1/explain/${encodeURIComponent(`account/${SOURCE}`)}`)).body).toMatchObject({ verdict: 'done' });
  });

  it('200 with the lineage of any id of a chain: one tree from the receipt to the link', async () => {
    const { executionId, effectId, permit } = await wholeChain('a');
    const { status, body } = await cli.get(`/v1/lineage/${effectId}`);
    expect(status).toBe(200);
    const lineage = body as unknown as Lineage;
    const lines = renderLineage(lineage).join('\n');
    expect(lines).toMatch(/^rcp_\w{26} {2}Receipt {3}larkspur\/acme hook a · 1 item · 1 B {2,}stored/);
    for (const kind of [
      'Event thing.changed',
      'Projection thing/changed v1',
      'Execution · attempt 1 · claimant-1',
      'Result',
      'Command thing/push · slot main',
      'Effect tern/acme',
      'attempt 1 · permit returned · egress-1 fence 5',
      'Link thing/1',
    ])
      expect(lines).toContain(kind);
    expect(lineage.counts).toEqual({ events: 1, refused: 0, repeated: 0, conflicts: 0, waiting: 0, outcomes: { applied: 1 } });
    for (const id of [executionId, permit.permitId, OutboundCommandId.of(EffectId.bytes(effectId)), lineage.root.id ?? '']) {
      expect((await cli.get(`/v1/lineage/${id}`)).body['root']).toEqual(body['root']);
    }
    const ids = [...nodesOf(lineage.root)].flatMap(({ id }) => id ?? []);
    expect(new Set(ids.map((id) => id.slice(0, 3)))).toEqual(new Set(['rcp', 'evt', 'prj', 'exe', 'cmd', 'obc', 'eff', 'prm', 'lnk']));
    for (const id of [...ids, lineage.epoch, holder.generationId, epoch.credentialGenerationId]) {
      expect([id, (await cli.get(`/v1/explain/${id}`)).status]).toEqual([id, 200]);
    }
  });

  it('200 with the conflicts of a receipt: counted where it is listed, drawn in its lineage with what the sender was told (PUB-ING-07)', async () => {
    const [one, other] = (await underOneKey(schema.db, epoch.source, 'msg_c1', ['one', 'other bytes', 'third'])) as [Delivery, Delivery];
    expect((await cli.get(`/v1/receipts/${one.receiptId}`)).body).toMatchObject({ receipt_id: one.receiptId, conflicts: 2 });
    const lineage = async (): Promise<Lineage> => (await cli.get(`/v1/lineage/${one.receiptId}`)).body as unknown as Lineage;
    const { root, counts } = await lineage();
    expect([counts.events, counts.conflicts, counts.waiting, root.note]).toEqual([1, 2, 1, null]);
    const text = 'Conflict  other bytes under the same key · 11 B';
    const note = `${other.payloadDigest}, signed by key version 1`;
    expect(root.children).toContainEqual(expect.objectContaining({ kind: 'conflict', id: null, text, state: 'refused', note }));
    const further = Array.from({ length: 20 }, (_, at) => `further ${at}`);
    await underOneKey(schema.db, epoch.source, 'msg_c1', further);
    expect(await lineage()).toMatchObject({ counts: { conflicts: 16 }, root: { note: 'of its conflicts the first 16 are kept' } });
  });

  it('200 with every kind of row, listed and by its id', async () => {
    await wholeChain('a');
    for (const [kind, key] of [
      ['receipts', 'receipt_id'],
      ['executions', 'execution_id'],
      ['effects', 'effect_id'],
      ['permits', 'permit_id'],
    ] as const) {
      const listed = await cli.get(`/v1/${kind}?limit=1`);
      const [row] = listed.body['rows'] as [Record<string, unknown>];
      expect([kind, listed.status, (await cli.get(`/v1/${kind}/${String(row[key])}`)).body]).toEqual([kind, 200, row]);
    }
    expect((await cli.get('/v1/credentials')).body['rows']).toMatchObject([
      { generation_id: epoch.credentialGenerationId, mode: 'enabled' },
    ]);
  });

  it('200 with lanes: listed by what they do, one with what waits in it and what it misses, why it waits; 404, 400 by name', async () => {
    const arrived = await arrive(
      schema.db,
      epoch.source,
      strictRoute(),
      [1, 3].map((at) => ({ record: 'r1', at })),
    );
    const [first, third] = arrived as [ExecutionId, ExecutionId];
    const id = laneOf(epoch.source, 'r1');
    await claimLane(schema.db, epoch.source, id);
    const row = { lane_id: id, account: SOURCE, partition: 'r1', contract: 'strict_source_sequence', baseline: 'start 1', held: null };
    const listed = await cli.get(`/v1/lanes?state=at-work&account=${SOURCE}`);
    expect([listed.status, listed.body]).toMatchObject([
      200,
      { rows: [{ ...row, state: 'at-work', active_execution: first }], next: null },
    ]);
    await record(schema, epoch.source, first);
    await claimLane(schema.db, epoch.source, id);
    expect((await cli.get('/v1/lanes?state=at-work')).body['rows']).toEqual([]);
    const { status, body } = await cli.get(`/v1/lanes/lan_${id.slice(-6)}`);
    expect([status, body]).toMatchObject([200, { ...row, state: 'waiting', high_water: '1', active_execution: null }]);
    expect(body['members']).toMatchObject([{ execution_id: third, position: '3', state: 'waiting_dependency', attempts: 0 }]);
    expect(body['gaps']).toMatchObject([{ missing: '2', execution_id: third, state: 'waiting', deadline: body['due_at'] }]);
    const why = await cli.get(`/v1/explain/${id}`);
    expect([reasonOf(why), why.body['subject']]).toMatchObject(['ORDER_GAP', { kind: 'lane', id, state: 'waiting' }]);
    const tree = await cli.get(`/v1/lineage/${id}`);
    expect([tree.status, tree.body['code'], tree.body['next_steps']]).toEqual([
      ...[400, 'HOUSE:operator:NoLineage', [`connector explain ${id}`]],
    ]);
    expect((await cli.get(`/v1/lanes/${LaneId.mint()}`)).status).toBe(404);
    expect((await cli.get('/v1/lanes?state=stuck')).body['code']).toBe('HOUSE:operator:NoSuchState');
  });

  it('200 with an account: gate, epoch, channels with the names of their key versions, never a secret', async () => {
    const { body } = await cli.get(`/v1/accounts/${SOURCE}`);
    expect(body).toMatchObject({ account: SOURCE, mode: 'v2_serving', epoch_state: 'active', open_permits: 0 });
    expect(body['channels']).toEqual([
      {
        ...{ channel: 'hook', scheme: 'standard-webhooks', route: 'contact/upsert', transport_key_header: 'webhook-id' },
        keys: [{ version: 1, secret_path: 'channel/larkspur/acme/hook', secret_version: '1' }],
      },
    ]);
    expect((await cli.get('/v1/accounts')).body['rows']).toHaveLength(2);
    expect((await cli.get('/v1/accounts/no/body')).status).toBe(404);
  });

  it('400 with a sentence for the lineage of a row that came from no receipt, and 200 with its explanation', async () => {
    const [row] = await schema.sql('SELECT epoch_id FROM con_epoch LIMIT 1');
    const id = EpochId.of(row?.['epoch_id'] as Buffer);
    const { status, body } = await cli.get(`/v1/lineage/${id}`);
    expect([status, body['code'], body['next_steps']]).toEqual([400, 'HOUSE:operator:NoLineage', [`connector explain ${id}`]]);
    expect(body['detail']).toContain(`${id} is of the kind epoch, active`);
    expect((await cli.get(`/v1/explain/${id}`)).body).toMatchObject({ verdict: 'done', subject: { kind: 'epoch', state: 'active' } });
  });

  it('400 and 404 by name: lists, states, bounds, accounts and ids that there are not', async () => {
    const refusals = [
      ['/v1/windows', 404, 'HOUSE:operator:NoSuchList'],
      ['/v1/effects?state=failed', 400, 'HOUSE:operator:NoSuchState'],
      ['/v1/effects?limit=201', 400, 'HOUSE:http:BodyInvalid'],
      ['/v1/effects?account=Larkspur', 400, 'HOUSE:connector:AccountName'],
      ['/v1/explain/opn_nothing', 400, 'HOUSE:operator:NotExplainable'],
      [`/v1/lineage/${PermitId.mint()}`, 404, 'HOUSE:operator:NotFound'],
    ] as const;
    for (const [path, status, code] of refusals) {
      const answer = await cli.get(path);
      expect([path, answer.status, answer.body['code']]).toEqual([path, status, code]);
    }
  });
});

describe('contract › operator as a host', () => {
  it('401 without a token on every path, and nothing is written', async () => {
    const nobody = callsTo(service, undefined, contract.accept);
    const before = await written();
    const answers = [
      await nobody.get('/v1/status'),
      await nobody.get('/v1/openapi.json'),
      await nobody.get('/v1/effects'),
      await nobody.post('/v1/accounts/halt', {
        account: DESTINATION,
        confirm: Digest.sha256(Buffer.from('x')),
        operation_id: OperationId.mint(),
        by: 'x',
        reason: 'x',
      }),
      await nobody.post('/v1/permits/abandon', {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(await written()).toBe(before);
  });

  it('200 with the document that every answer here was held against, and every read of it was asked', async () => {
    const { status, body } = await cli.get('/v1/openapi.json');
    expect([status, body['openapi']]).toEqual([200, '3.1.1']);
    expect(contract.unanswered(operationIds(READS))).toEqual([]);
  });

  it('200 for liveness, readiness and metrics', async () => {
    for (const path of ['/livez', '/readyz', '/metrics'])
      expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 200]);
  });
});
