import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import { control } from '@connector/services/control/src/control.service';
import { CREDENTIAL_ACTS } from '@connector/services/operator/src/api/routes';
import { operator } from '@connector/services/operator/src/operator.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { gateOf, reenabled, revoked } from '@connector/testing/fixtures/credential';
import { demoEpoch, DESTINATION, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { authored, enabledCredential, granted, registered, sending, type HeldPermit } from '@connector/testing/fixtures/outbound';
import { countOf } from '@connector/testing/fixtures/serving';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let home: TestHome;
let epoch: DemoEpoch;
let authority: RunningService;
let service: RunningService;
let contract: OpenApiContract;
let cli: Calls;
let id: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli']);
  await tokensFor(home, 'control', ['operator']);
  // What carries a decision here is the request.
  authority = await bootOn(control, schema, home, { CONNECTOR_POLL_MS: '60000' });
  service = await bootOn(operator, schema, home, { CONNECTOR_CONTROL_URL: authority.url });
  contract = await servedContract(service, 'cli');
  cli = callsTo(service, 'cli', contract.accept);
});
beforeEach(async () => {
  await schema.reset();
  epoch = await demoEpoch(schema);
  id = epoch.credentialGenerationId;
});
afterAll(async () => {
  await service.stop();
  await authority.stop();
  await schema.close();
  await home.remove();
});

const planned = (verb: string, over: object = {}) => cli.post('/v1/credentials/plan', { verb, credential: id, ...over });
const digestOf = async (verb: string, over: object = {}): Promise<string> => String((await planned(verb, over)).body['digest']);
const confirmation = (confirm: string, over: object = {}) => ({
  ...{ credential: id, confirm, operation_id: OperationId.mint(), by: 'm.ortiz', reason: 'leaked in a ticket' },
  ...over,
});
const confirmed = async (verb: string, over: object = {}) => cli.post(`/v1/credentials/${verb}`, confirmation(await digestOf(verb, over)));
const written = async (): Promise<number> => (await countOf(schema, 'ctl_credential_decision')) + (await countOf(schema, 'con_operation'));
const codeOf = ({ status, body }: { status: number; body: Readonly<Record<string, unknown>> }) => [status, body['code'], body['written']];

/** Three effects of the credential: one prepared, one granted, one under way. */
async function inEveryState(): Promise<readonly [HeldPermit, HeldPermit]> {
  const holder = await registered(schema);
  for (const sequence of [1, 2]) await authored(schema, epoch.destination, sequence, id);
  const [waits, flies] = (await granted(schema.db, epoch.destination, holder)) as [HeldPermit, HeldPermit];
  await sending(schema.db, holder, id, [flies]);
  await schema.sql("UPDATE con_credential_gate SET mode = 'revoked'");
  await authored(schema, epoch.destination, 3, id);
  await granted(schema.db, epoch.destination, holder);
  await schema.sql("UPDATE con_credential_gate SET mode = 'enabled'");
  return [waits, flies];
}

describe('contract › operator plans and confirms for credentials', () => {
  it('200: the plan says what stops, what it cannot recall by id, and that nothing revives by itself (con:REV-O)', async () => {
    const [, flies] = await inEveryState();
    const { status, body } = await planned('revoke');
    expect([status, body]).toMatchObject([
      200,
      {
        plan: { verb: 'credentials.revoke', subject: id, rung: 2, expected: { mode: 'enabled', fence: '1' } },
        estimate: {
          ...{ account: DESTINATION, epoch: `${epoch.epochId} active`, prepared_effects: 1 },
          ...{ granted_permits: 1, sending_permits: 1, not_recalled: [flies.permitId] },
        },
      },
    ]);
    const { then, way_back } = body['plan'] as { then: string[]; way_back: string[] };
    expect(then).toContain('nothing revives by itself');
    expect(then.join()).toContain('does not recall a call');
    expect(way_back[0]).toContain(`connector credentials reenable ${id} --plan`);
  });

  it('200: its digest carries it out once; the same operation again is answered the same, also after its reenablement (con:OPEN-33)', async () => {
    const body = confirmation(await digestOf('revoke'));
    const first = await cli.post('/v1/credentials/revoke', body);
    expect(first).toEqual({ status: 200, body: { kind: 'revoked', credential: id, fence: '2', operation_id: body.operation_id } });
    expect(await confirmed('reenable')).toMatchObject({ status: 200, body: { kind: 'reenabled', fence: '3' } });
    expect(await cli.post('/v1/credentials/revoke', body)).toEqual(first);
    expect(await gateOf(schema, id)).toBe('enabled 3');
  });

  it('200: get shows the gate, who decided what and why, where it is used, and never what the secret is (con:INV-18)', async () => {
    await home.secret('provider/tern/acme', 'a-secret-to-be-looked-for', '1');
    await inEveryState();
    await confirmed('revoke');
    const { status, body } = await cli.get(`/v1/credentials/${id}`);
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ generation_id: id, account: DESTINATION, mode: 'revoked', fence: '2', secret_version: '1', epoch: `${epoch.epochId} active` },
        ...{ prepared_effects: 1, granted_permits: 1, sending_permits: 1 },
        decisions: [{ fence: '2', verb: 'revoke', final: false, decided_by: 'm.ortiz', reason: 'leaked in a ticket', carried: true }],
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('a-secret-to-be-looked-for');
    expect(Object.keys(body)).not.toContain('transport');
  });

  it('200: list, newest first, in a state', async () => {
    const ids = async (query: string): Promise<readonly unknown[]> => {
      const { body } = await cli.get(`/v1/credentials?limit=10${query}`);
      return (body['rows'] as readonly { generation_id: string }[]).map((row) => row.generation_id);
    };
    expect(await ids('')).toEqual([id]);
    expect([await ids('&state=enabled'), await ids('&state=revoked')]).toEqual([[id], []]);
    await schema.sql('DELETE FROM con_credential_gate');
    expect([await ids('&state=enabled'), await ids('&state=no_gate')]).toEqual([[], [id]]);
  });

  it('409 PlanStale with what was expected, what is, and who made it so: the gate moved between plan and confirmation', async () => {
    const digest = await digestOf('revoke');
    await revoked(schema, epoch.destination.account, id);
    await reenabled(schema, epoch.destination.account, id);
    const before = await written();
    const answer = await cli.post('/v1/credentials/revoke', confirmation(digest));
    expect(codeOf(answer)).toEqual([409, 'HOUSE:operator:PlanStale', 'nothing']);
    expect(answer.body).toMatchObject({
      expected: { mode: 'enabled', fence: '1' },
      actual: { mode: 'enabled', fence: '3', by: 'ops@example', reason: 'leaked' },
    });
    expect(await written()).toBe(before);
  });

  it.each([
    ['a digest of no plan', () => Promise.resolve(`sha256:${'0'.repeat(64)}`)],
    ['the digest of the other verb', async () => (await revoked(schema, epoch.destination.account, id), digestOf('reenable'))],
  ])('409 PlanUnknown: %s moves nothing', async (_, digest) => {
    const confirm = await digest();
    const before = await written();
    expect(codeOf(await cli.post('/v1/credentials/revoke', confirmation(confirm)))).toEqual([409, 'HOUSE:operator:PlanUnknown', 'nothing']);
    expect(await written()).toBe(before);
  });

  it('409 NotInMode: nothing to reenable while it is enabled, with its explanation inside', async () => {
    const answer = await planned('reenable');
    expect(codeOf(answer)).toEqual([409, 'HOUSE:operator:NotInMode', 'nothing']);
    expect(answer.body['explanation']).toMatchObject({ verdict: 'done', subject: { state: 'enabled' } });
  });

  it('409 RevocationFinal: the digest of a final plan is another one, and nobody may take it back (con:REE-P)', async () => {
    const plans = [await digestOf('revoke'), await digestOf('revoke', { final: true })];
    expect(new Set(plans).size).toBe(2);
    expect(await confirmed('revoke', { final: true })).toMatchObject({ status: 200, body: { kind: 'revoked' } });
    const answer = await planned('reenable');
    expect(codeOf(answer)).toEqual([409, 'HOUSE:operator:RevocationFinal', 'nothing']);
    expect((answer.body['explanation'] as { may: readonly { kind: string }[] }).may.map(({ kind }) => kind)).toEqual(['mint_upstream']);
    const [row] = await schema.sql('SELECT final FROM ctl_credential_decision');
    expect(row?.['final']).toBe(1);
  });

  it('404 for a generation that nobody authored, 409 NoGate for one without a gate; 400 without a reason', async () => {
    const before = await written();
    expect((await cli.get(`/v1/credentials/${CredentialGenerationId.mint()}`)).status).toBe(404);
    expect((await planned('revoke', { credential: await enabledCredential(schema) })).status).toBe(404);
    const digest = await digestOf('revoke');
    expect((await cli.post('/v1/credentials/revoke', confirmation(digest, { reason: '' }))).status).toBe(400);
    await schema.sql('DELETE FROM con_credential_gate');
    expect(codeOf(await planned('revoke'))).toEqual([409, 'HOUSE:operator:NoGate', 'nothing']);
    expect(await written()).toBe(before);
  });

  it('503 OutcomeUnknown where control took the request and never answered; 503 unavailable where it does not run', async () => {
    const silent: Server = createServer((request) => request.socket.destroy());
    await new Promise<void>((ready) => void silent.listen(0, '127.0.0.1', ready));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const alone = await bootOn(operator, schema, home, { CONNECTOR_CONTROL_URL: url });
    const body = confirmation(await digestOf('revoke'));
    const asked = callsTo(alone, 'cli', contract.accept);
    const unknown = await asked.post('/v1/credentials/revoke', body);
    await new Promise((closed) => void silent.close(closed));
    const refused = await asked.post('/v1/credentials/revoke', body);
    await alone.stop();
    expect(codeOf(unknown)).toEqual([503, 'HOUSE:operator:OutcomeUnknown', 'unknown']);
    expect(codeOf(refused)).toEqual([503, 'HOUSE:operator:ControlUnavailable', 'nothing']);
  });
});

it('200 from every path of credentials in the document at least once', () => {
  expect(contract.unanswered(operationIds(CREDENTIAL_ACTS))).toEqual([]);
});
