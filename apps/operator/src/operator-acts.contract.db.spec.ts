import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperationId, type PermitId } from '@connector/kernel/ids';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import type { RunningService } from '@connector/platform/host/service';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';
import { operator } from '@connector/services/operator/src/operator.service';
import { ACTS } from '@connector/services/operator/src/api/routes';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import {
  authored,
  CONFIRMED,
  granted,
  type HeldPermit,
  isolated,
  registered,
  sending,
  settlement,
  terminated,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { countOf } from '@connector/testing/fixtures/serving';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { coordinatorStandIn, type StandIn } from './coordinator-stand-in.fixture';

let schema: TestSchema;
let journal: TestSchema;
let home: TestHome;
let epoch: DemoEpoch;
let standIn: StandIn;
let service: RunningService;
let contract: OpenApiContract;
let cli: Calls;
let holder: TestHolder;

const MOVES = ['con_operation', 'con_audit_outbox', 'con_effect_evidence'];
const written = async (): Promise<number> => {
  let count = 0;
  for (const table of MOVES) count += await countOf(schema, table);
  return count;
};

beforeAll(async () => {
  schema = await mainSchema();
  journal = await journalSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli']);
  await tokensFor(home, 'cutover-coordinator', ['operator']);
  await tokensFor(home, 'catalog', ['cutover-coordinator']);
  await tokensFor(home, 'control', ['cutover-coordinator']);
  standIn = await coordinatorStandIn();
  service = await bootOn(operator, schema, home, { CONNECTOR_COORDINATOR_URL: standIn.url });
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
  await standIn.close();
  await schema.close();
  await journal.close();
  await home.remove();
});

const permitOfDestination = async (sequence = 1): Promise<HeldPermit> => {
  await authored(schema, epoch.destination, sequence, epoch.credentialGenerationId);
  return (await granted(schema.db, epoch.destination, holder))[0] as HeldPermit;
};
const reasonOf = ({ body }: Answered): unknown => (body['reason'] as { code?: string } | null)?.code;

const planOf = async (verb: string, account: string = DESTINATION) => {
  const { body } = await cli.post('/v1/accounts/plan', { verb, account });
  return String(body['digest']);
};
const confirmation = (confirm: string, operationId: string = OperationId.mint()) => ({
  ...{ account: DESTINATION, confirm, operation_id: operationId, by: 'm.ortiz', reason: 'duplicate charges' },
});
async function untilHalted(): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await cli.get(`/v1/accounts/${DESTINATION}`)).body['mode'] === 'v2_halted') return;
  }
  throw new Error('the account was not held');
}

describe('contract › operator plans and confirms', () => {
  let coordinator: RunningService;
  let acting: RunningService;
  let cli: Calls;
  beforeAll(async () => {
    coordinator = await bootOn(cutoverCoordinator, schema, home, { CONNECTOR_POLL_MS: '20', CONNECTOR_JOURNAL_NAME: journal.database });
    acting = await bootOn(operator, schema, home, { CONNECTOR_COORDINATOR_URL: coordinator.url });
    cli = callsTo(acting, 'cli', contract.accept);
  });
  afterAll(async () => {
    await acting.stop();
    await coordinator.stop();
  });

  it('200: a plan says steps, effects and the way back, and its digest carries it out once; the same operation again is answered the same', async () => {
    const permit = await permitOfDestination();
    const planned = await cli.post('/v1/accounts/plan', { verb: 'halt', account: DESTINATION });
    expect(planned.body).toMatchObject({
      plan: { verb: 'accounts.halt', subject: DESTINATION, rung: 2, expected: { mode: 'v2_serving', fence: `${epoch.destination.fence}` } },
      estimate: { open_permits: 1 },
    });
    const body = confirmation(String(planned.body['digest']));
    const halted = await cli.post('/v1/accounts/halt', body);
    expect(halted).toMatchObject({
      status: 200,
      body: { kind: 'halting', fence: `${epoch.destination.fence + 1n}`, operation_id: body.operation_id },
    });
    expect(await cli.post('/v1/accounts/halt', body)).toEqual(halted);
    const explained = await cli.get(`/v1/explain/${encodeURIComponent(`account/${DESTINATION}`)}`);
    expect(reasonOf(explained)).toBe('GATE_HALTING');
    const token = await sending(schema.db, holder, epoch.credentialGenerationId, [permit]);
    await settlePermits(schema.db, settlement(epoch.destination, holder, token, [permit], CONFIRMED));
    await untilHalted();
    const resumed = await cli.post('/v1/accounts/resume', confirmation(await planOf('resume')));
    expect(resumed).toMatchObject({ status: 200, body: { kind: 'serving' } });
  });

  it('409 PlanStale with what was expected and what is: the fence moved between plan and confirmation', async () => {
    const digest = await planOf('halt');
    await schema.sql('UPDATE con_serving_gate SET fence = fence + 2');
    const before = await written();
    const { status, body } = await cli.post('/v1/accounts/halt', confirmation(digest));
    expect([status, body['code']]).toEqual([409, 'HOUSE:operator:PlanStale']);
    expect(body).toMatchObject({
      expected: { fence: `${epoch.destination.fence}` },
      actual: { fence: `${epoch.destination.fence + 2n}` },
      written: 'nothing',
    });
    expect(await written()).toBe(before);
  });

  it.each([
    ['a digest of no plan', async () => `sha256:${'0'.repeat(64)}`],
    ['the digest of another verb', async () => planOf('halt', SOURCE)],
  ])('409 PlanUnknown: %s moves nothing', async (_, digest) => {
    const before = await written();
    const answer = await cli.post('/v1/accounts/halt', confirmation(await digest()));
    expect([answer.status, answer.body['code']]).toEqual([409, 'HOUSE:operator:PlanUnknown']);
    expect(await written()).toBe(before);
  });

  it('409 NotInMode: nothing to resume on an account that serves, with its explanation inside', async () => {
    const { status, body } = await cli.post('/v1/accounts/plan', { verb: 'resume', account: DESTINATION });
    expect([status, body['code']]).toEqual([409, 'HOUSE:operator:NotInMode']);
    expect(body['explanation']).toMatchObject({ schema: 'connector.explain/v1', verdict: 'done' });
  });

  it('409 PermitHolderUnproven: a permit without both proofs stays open, and the explanation says which is missing (con:PRMT-05)', async () => {
    const { permitId } = await permitOfDestination();
    await terminated(schema, holder.generationId);
    const { status, body } = await cli.post('/v1/permits/plan-abandon', { permit_id: permitId });
    expect([status, body['code']]).toEqual([409, 'HOUSE:operator:PermitHolderUnproven']);
    expect((body['explanation'] as { reason: { code: string } }).reason.code).toBe('PERMIT_HOLDER_UNPROVEN');
  });

  it('503 OutcomeUnknown where the coordinator took the request and never answered; 503 unavailable where it does not run', async () => {
    const silent: Server = createServer((request) => request.socket.destroy());
    await new Promise<void>((ready) => void silent.listen(0, '127.0.0.1', ready));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const alone = await bootOn(operator, schema, home, { CONNECTOR_COORDINATOR_URL: url });
    const asked = callsTo(alone, 'cli', contract.accept);
    const body = confirmation(await planOf('halt'));
    const unknown = await asked.post('/v1/accounts/halt', body);
    await new Promise((closed) => void silent.close(closed));
    const refused = await asked.post('/v1/accounts/halt', body);
    await alone.stop();
    expect([unknown.status, unknown.body['code'], unknown.body['written']]).toEqual([503, 'HOUSE:operator:OutcomeUnknown', 'unknown']);
    expect([refused.status, refused.body['code'], refused.body['written']]).toEqual([
      503,
      'HOUSE:operator:CoordinatorUnavailable',
      'nothing',
    ]);
  });
});

describe('contract › operator abandons', () => {
  const planned = async (permitId: PermitId): Promise<string> => {
    const { status, body } = await cli.post('/v1/permits/plan-abandon', { permit_id: permitId });
    expect(status).toBe(200);
    return String(body['digest']);
  };
  const proved = async (): Promise<HeldPermit> => {
    const permit = await permitOfDestination();
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    return permit;
  };
  const abandon = (permitId: PermitId, confirm: string) => {
    const operation_id = OperationId.mint();
    return cli.post('/v1/permits/abandon', { permit_id: permitId, confirm, operation_id, by: 'm.ortiz' });
  };

  it('200: the plan of a permit with both proofs goes to the coordinator with its account and operation', async () => {
    const { permitId } = await proved();
    standIn.answer = { status: 200, body: { kind: 'abandoned', permits: [{ kind: 'abandoned', permit_id: permitId }] } };
    const { status, body } = await abandon(permitId, await planned(permitId));
    expect([status, body['kind'], body['permit_id']]).toEqual([200, 'abandoned', permitId]);
    const asked = {
      path: '/v1/permits/abandon',
      account: DESTINATION,
      permit_ids: [permitId],
      by: 'm.ortiz',
      operation_id: body['operation_id'],
    };
    expect(standIn.asked.at(-1)).toEqual(asked);
  });

  it('409 PlanStale: a permit that was granted and is sending now would leave its effect uncertain, not prepared', async () => {
    const permit = await proved();
    const digest = await planned(permit.permitId);
    await sending(schema.db, holder, epoch.credentialGenerationId, [permit]);
    const before = standIn.asked.length;
    const { status, body } = await abandon(permit.permitId, digest);
    expect([status, body['code'], body['expected'], body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:PlanStale', { state: 'granted' }, { state: 'sending' }],
    ]);
    expect(standIn.asked).toHaveLength(before);
  });

  it('409 PlanUnknown: a digest of no plan goes nowhere', async () => {
    const { permitId } = await proved();
    const before = standIn.asked.length;
    const answer = await abandon(permitId, `sha256:${'0'.repeat(64)}`);
    expect([answer.status, answer.body['code'], standIn.asked.length]).toEqual([409, 'HOUSE:operator:PlanUnknown', before]);
  });
});

it('200 from every act of the document at least once', async () => {
  expect((await cli.get('/v1/accounts')).status).toBe(200);
  expect(contract.unanswered(operationIds(ACTS))).toEqual([]);
});
