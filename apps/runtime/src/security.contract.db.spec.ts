import { RetryableFault } from '@connector/kernel/faults';
import { OperationId } from '@connector/kernel/ids';
import { serviceClient, type ServiceClient } from '@connector/platform/http/service-client';
import type { RunningService } from '@connector/platform/host/service';
import { noOtherInputs, otherInputs } from '@connector/security/contract/projection';
import { securityOverHttp } from '@connector/services/catalog/src/security-over-http';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import type { Fate } from '@connector/testing/fake-runtime-security';
import { advanceOf, grantsOf } from '@connector/testing/fixtures/security';
import { runtimeSecurityConformance } from '@connector/testing/runtime-security-conformance';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let client: ServiceClient;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'runtime', ['execution-claimant', 'catalog', 'operator']);
  service = await bootOn(runtime, schema, home);
  client = serviceClient({ baseUrl: service.url, token: 'catalog-to-runtime', timeoutMs: 5_000 });
});
beforeEach(() => schema.reset());
afterAll(async () => {
  await client.close();
  await service.stop();
  await schema.close();
  await home.remove();
});

const as = (caller: string): Calls => callsTo(service, caller);
const ORG = 'org-1';
const headOf = async (): Promise<Record<string, unknown>> => (await as('operator').get(`/v1/security/orgs/${ORG}/head`)).body;
async function moveOtherInputs(organization: string): Promise<void> {
  const { body } = await as('operator').get(`/v1/security/orgs/${organization}/head`);
  const answer = await as('operator').post(`/v1/security/orgs/${organization}/other-inputs`, {
    operation_id: OperationId.mint(),
    expected_other_inputs_digest: body['other_inputs_digest'],
    platform_grants: [{ workload_id: 'wl.platform', capabilities: ['runtime.records.read.v1'] }],
  });
  expect(answer.status).toBe(200);
}

/** The wire with the fates of a plan, for commands only. */
function fated(plan: readonly Fate[]): ServiceClient {
  const fates = [...plan];
  return {
    close: () => Promise.resolve(),
    call: async (method, path, body) => {
      const fate = method === 'POST' ? (fates.shift() ?? 'honest') : 'honest';
      if (fate === 'fail') throw new RetryableFault('HOUSE:test:Cut', 'before it arrived');
      if (typeof fate !== 'string') await fate;
      if (fate === 'twice') await client.call(method, path, body);
      if (fate === 'lie') return { status: 200, body: await ofAnother() };
      const answer = await client.call(method, path, body);
      if (fate === 'lose-answer') throw new RetryableFault('HOUSE:test:Cut', 'after it was done');
      return answer;
    },
  };
}

/** What Runtime truly answered to another command. */
async function ofAnother(): Promise<unknown> {
  return (await as('catalog').post('/v1/security/app-grants', bodyOf(advanceOf('org-9', grantsOf('org-9', {}))))).body;
}

const bodyOf = (command: ReturnType<typeof advanceOf>) => ({
  command_id: command.commandId,
  organization: command.organization,
  expected_prior_epoch: command.expectedPriorEpoch.toString(),
  app_grants_base64: command.appGrants.toString('base64'),
  expected_projection_digest: command.expectedProjectionDigest,
});

runtimeSecurityConformance('over HTTP to the real service', (plan) => ({ port: securityOverHttp(fated(plan)), moveOtherInputs }));

describe('contract › runtime security answers', () => {
  it('200 to an operator that sets other inputs; the head names them, and an operator who saw older ones is refused with 409', async () => {
    await moveOtherInputs(ORG);
    const grants = [{ workload_id: 'wl.platform', capabilities: ['runtime.records.read.v1'] }];
    const { digest } = otherInputs.build({
      schema_version: 'nexuscrm.runtime-security-other-inputs/v1',
      organization_id: ORG,
      platform_grants: grants,
    });
    expect(await headOf()).toMatchObject({ kind: 'head', security_epoch: '1', other_inputs_digest: digest });
    const stale = { operation_id: OperationId.mint(), expected_other_inputs_digest: noOtherInputs(ORG).digest, platform_grants: [] };
    expect(await as('operator').post(`/v1/security/orgs/${ORG}/other-inputs`, stale)).toEqual({
      status: 409,
      body: { kind: 'other-inputs-moved', other_inputs_digest: digest },
    });
  });

  it('200 to a tuple whose installation has the same bindings at a newer epoch, 409 by name to every other', async () => {
    const asked = async (installation: string, epoch: string) =>
      (await as('operator').get(`/v1/security/orgs/${ORG}/app-installations/${installation}/admission?security_epoch=${epoch}`)).body;
    const bind = async (installations: Readonly<Record<string, readonly string[]>>, prior: bigint): Promise<void> => {
      const answer = await as('catalog').post('/v1/security/app-grants', bodyOf(advanceOf(ORG, grantsOf(ORG, installations), prior)));
      expect(answer.status).toBe(200);
    };
    const refused = (code: string, epoch: string) => ({ kind: 'refused', code, current_epoch: epoch });
    expect(await asked('inst-1', '1')).toEqual(refused('epoch-ahead', '0'));
    await bind({ 'inst-1': ['a.b.v1'] }, 0n);
    expect(await asked('inst-1', '1')).toEqual({ kind: 'admitted', security_epoch: '1' });
    await bind({ 'inst-1': ['a.b.v1'], 'inst-2': [] }, 1n);
    expect(await asked('inst-1', '1')).toEqual({ kind: 'admitted', security_epoch: '2' });
    expect(await asked('inst-2', '1')).toEqual(refused('not-bound', '2'));
    await bind({ 'inst-1': ['a.c.v1'] }, 2n);
    expect(await asked('inst-1', '2')).toEqual(refused('bindings-differ', '3'));
    expect(await asked('inst-2', '2')).toEqual(refused('withdrawn', '3'));
    expect((await as('operator').get(`/v1/security/orgs/${ORG}/app-installations/inst-1/admission?security_epoch=-1`)).status).toBe(400);
  });

  it.each([
    ['the operator', 'operator', '/v1/security/app-grants'],
    ['the claimant', 'execution-claimant', '/v1/security/app-grants'],
    ['Catalog', 'catalog', `/v1/security/orgs/${ORG}/other-inputs`],
    ['the claimant', 'execution-claimant', `/v1/security/orgs/${ORG}/other-inputs`],
    ['Catalog', 'catalog', '/v1/commands'],
    ['the operator', 'operator', '/v1/results/query'],
  ])('403 cat:SEC-04 cat:SEC-12 to %s (%s) on %s: each caller has its own paths', async (_who, caller, path) => {
    expect(await as(caller).post(path, {})).toMatchObject({ status: 403, body: { code: 'HOUSE:http:CallerNotAllowed' } });
  });

  it('401 to nobody', async () => {
    expect((await callsTo(service).post('/v1/security/app-grants', {})).status).toBe(401);
  });

  it.each([
    ['an id that is none', { command_id: 'opn_x' }],
    ['a command of the Runtime', { command_id: 'cmd_00000000000000000000000000' }],
    ['an epoch that is no number', { expected_prior_epoch: '01' }],
    ['an epoch below zero', { expected_prior_epoch: '-1' }],
    ['grants that are no base64', { app_grants_base64: '{}' }],
    ['grants that are no canonical document', { app_grants_base64: 'e30=' }],
    ['grants of another organization', { organization: 'org-2' }],
    ['a digest that is none', { expected_projection_digest: 'sha256:x' }],
    ['a name that is too long', { organization: 'x'.repeat(65) }],
    ['a member too many', { security_epoch: '9' }],
  ])('400 to a command with %s: no epoch moves', async (_what, over) => {
    const answer = await as('catalog').post('/v1/security/app-grants', { ...bodyOf(advanceOf(ORG, grantsOf(ORG, {}))), ...over });
    expect(answer).toMatchObject({ status: 400, body: { status: 400, code: expect.stringMatching(/^HOUSE:/) as unknown } });
    expect(await schema.sql('SELECT organization_id FROM sec_head')).toEqual([]);
  });

  it('400 to platform grants that name a workload twice', async () => {
    const grant = { workload_id: 'wl.a', capabilities: [] };
    const body = {
      operation_id: OperationId.mint(),
      expected_other_inputs_digest: noOtherInputs(ORG).digest,
      platform_grants: [grant, grant],
    };
    expect((await as('operator').post(`/v1/security/orgs/${ORG}/other-inputs`, body)).status).toBe(400);
    expect(await headOf()).toMatchObject({ security_epoch: '0', projection_digest: null });
  });
});
