import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperationId } from '@connector/kernel/ids';
import type { AppRelease } from '@connector/catalog/model/release';
import type { RunningService } from '@connector/platform/host/service';
import { setOtherInputs } from '@connector/security/transitions/set-other-inputs.tx';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { AUDIT_ACTS } from '@connector/services/operator/src/api/registry-routes';
import { MOVE_ACTS } from '@connector/services/operator/src/api/installs-routes';
import { operator } from '@connector/services/operator/src/operator.service';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import {
  APP,
  askedFor,
  OTHER_APP,
  platform,
  type PublicationWorld,
  publicationWorld,
  SERVICE_RELEASE,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { otherInputsOf } from '@connector/testing/fixtures/security';
import { rowsOf } from '@connector/testing/fixtures/registry';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const ORG = 'org-1';
const OFFERED = platform();
const GRANTS = ['runtime.records.write.v1'];
const WRITTEN = ['cat_lineage', 'cat_installation', 'cat_candidate', 'cat_publication_step', 'cat_audit', 'cat_request'];
const NOBODY = '018f3c2a-0001-7000-8000-000000000001';

let schema: TestSchema;
let home: TestHome;
let security: RunningService;
let authority: RunningService;
let service: RunningService;
let contract: OpenApiContract;
let cli: Calls;
let world: PublicationWorld;
let [one, two]: AppRelease[] = [];
let installation: string;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli', 'reader']);
  await tokensFor(home, 'catalog', ['operator', 'local']);
  await tokensFor(home, 'runtime', ['catalog', 'operator']);
  const platformFile = join(home.dir, 'platform.json');
  await writeFile(platformFile, JSON.stringify(OFFERED));
  security = await bootOn(runtime, schema, home);
  const given = { CONNECTOR_RUNTIME_URL: security.url, CONNECTOR_PLATFORM_FILE: platformFile, CONNECTOR_POLL_MS: '60000' };
  authority = await bootOn(catalog, schema, home, given);
  service = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: authority.url, CONNECTOR_RUNTIME_URL: security.url });
  contract = await servedContract(service, 'cli');
  cli = callsTo(service, 'cli', contract.accept);
});
beforeEach(async () => {
  await schema.reset();
  world = await publicationWorld(schema, { offered: OFFERED });
  const owning = (draft: { manifest: Record<string, unknown> }): void => {
    draft.manifest['owned_namespaces'] = [`${APP}.layouts`];
  };
  [one, two] = [await world.release(owning, APP, '1.1.0'), await world.release(owning, APP, '2.1.0')];
  const { body } = await callsTo(authority, 'local').post(`/v1/orgs/${ORG}/app-installations`, choices(one, { app_id: APP }), 'install');
  installation = String(body['installation']);
});
afterAll(async () => {
  for (const each of [service, authority, security]) await each.stop();
  await schema.close();
  await home.remove();
});

type Verb = 'upgrade' | 'rollback' | 'remove' | 'abandon';
const choices = (release: AppRelease | undefined, over: object = {}) => ({
  ...{ app_release_digest: release?.releaseDigest, dependencies: [] },
  grants: [{ workload_id: WORKLOAD, capabilities: GRANTS }],
  handler_bindings: [{ capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE }],
  ...over,
});
const requestOf = (verb: Verb, release = two) =>
  verb === 'upgrade'
    ? { request: choices(release) }
    : verb === 'rollback'
      ? { request: { app_release_digest: release?.releaseDigest } }
      : {};
const plan = (verb: Verb, over: object = {}) =>
  cli.post('/v1/installs/plan-move', { organization: ORG, installation, verb, ...requestOf(verb), ...over });
async function confirmation(verb: Verb, over: object = {}) {
  const { body } = await plan(verb, over);
  const { expected } = body['plan'] as { expected: Record<string, string> };
  const { organization: _, request_digest: __, ...counters } = expected;
  return {
    ...{ organization: ORG, installation, ...requestOf(verb), ...over, confirm: body['digest'] },
    ...Object.fromEntries(Object.entries(counters).map(([name, value]) => [`expected_${name}`, value])),
    ...{ operation_id: OperationId.mint(), by: 'm.ortiz' },
  };
}
const confirm = (verb: Verb, body: object) => cli.post(`/v1/installs/${verb}`, body);
const move = async (verb: Verb, over: object = {}) => confirm(verb, await confirmation(verb, over));
const said = ({ status, body }: Answered) => [status, body['code'] ?? body['kind'], body['written'] ?? 'done'];
const endOf = ({ body }: Answered) => (body['end'] as { kind: string } | undefined)?.kind;
const stepsOf = ({ body }: Answered) => (body['plan'] as { steps: string[] }).steps.join('\n');
const stateNow = async () => (await cli.get(`/v1/installs/${ORG}/${installation}`)).body;
const refused = [409, 'HOUSE:operator:CatalogRefused', 'nothing'];
/** The candidate of an upgrade, left by whoever asked for it at this step. */
async function waiting(step: 'opened' | 'compiled'): Promise<void> {
  const life = new Life(schema, world, installation);
  const opened = life.at(await life.openStored('upgrade', askedFor(two as AppRelease)));
  if (step === 'compiled') await opened.compile();
}

describe('contract › operator and what is done to an installation', () => {
  it('200: an upgrade is planned with every step and the tuples that it expects, and writes nothing', async () => {
    const before = await rowsOf(schema, ...WRITTEN);
    const planned = await plan('upgrade');
    expect([planned.status, (planned.body['plan'] as { expected: object }).expected]).toMatchObject([
      200,
      { organization: ORG, state: 'ACTIVE', activation_epoch: '1', catalog_revision: '1', security_epoch: '1' },
    ]);
    expect(stepsOf(planned)).toMatch(
      /^lock org-1 at revision 1; freeze .*ACTIVE -> UPGRADING\ncompile.*\nRuntime security.*epoch 1 -> 2.*\npublish: UPGRADING -> ACTIVE, activation epoch 1 -> 2, revision 1 -> 2/,
    );
    expect(planned.body['estimate']).toMatchObject({
      app_id: APP,
      serves: one?.releaseDigest,
      semantic_version: '2.1.0',
      namespaces: [`${APP}.layouts`],
    });
    for (const verb of ['remove', 'rollback', 'abandon'] as const) await plan(verb);
    expect(await rowsOf(schema, ...WRITTEN)).toEqual(before);
  });

  it('200: its digest carries it out once, and a rollback brings back what was (cat:INST-T03, cat:INST-T06)', async () => {
    const body = await confirmation('upgrade');
    const first = await confirm('upgrade', body);
    expect([...said(first), endOf(first)]).toEqual([200, 'opened', 'done', 'published']);
    expect(await confirm('upgrade', body)).toEqual(first);
    expect(await stateNow()).toMatchObject({ state: 'ACTIVE', active_release_digest: two?.releaseDigest, activation_epoch: '2' });
    const back = await move('rollback', { request: { app_release_digest: one?.releaseDigest } });
    expect([...said(back), endOf(back)]).toEqual([200, 'opened', 'done', 'published']);
    expect(await stateNow()).toMatchObject({ active_release_digest: one?.releaseDigest, activation_epoch: '3' });
  });

  it('200: the file of the installation serves for its upgrade; 409 for the App of another', async () => {
    expect((await plan('upgrade', { request: choices(two, { app_id: APP }) })).body['digest']).toBe((await plan('upgrade')).body['digest']);
    const other = await plan('upgrade', { request: choices(two, { app_id: OTHER_APP }) });
    expect([...said(other), other.body['actual']]).toEqual([...refused, { app_id: APP }]);
  });

  it('409: counters that moved since the plan, told with what was expected and what is found; nothing is written', async () => {
    const [upgrade, removal] = [await confirmation('upgrade'), await confirmation('remove')];
    await setOtherInputs(schema.db, otherInputsOf(ORG));
    const before = await rowsOf(schema, ...WRITTEN);
    for (const [verb, body] of [
      ['upgrade', upgrade],
      ['remove', removal],
    ] as const) {
      const moved = await confirm(verb, body);
      expect([...said(moved), moved.body['expected'], moved.body['actual']]).toEqual([
        ...[409, 'HOUSE:operator:CatalogMoved', 'nothing'],
        { state: 'ACTIVE', activation_epoch: '1', catalog_revision: '1', security_epoch: '1' },
        { kind: 'expected-moved', catalog_revision: '1', security_epoch: '2' },
      ]);
    }
    expect(await rowsOf(schema, ...WRITTEN)).toEqual(before);
    const other = { ...(await confirmation('remove')), expected_catalog_revision: '7' };
    expect(said(await confirm('remove', other))).toEqual([409, 'HOUSE:operator:PlanUnknown', 'nothing']);
  });

  it('409: what is in the way is a sentence with what was found', async () => {
    const detail = async (verb: Verb, over: object = {}) => {
      const answer = await plan(verb, over);
      expect([said(answer), (answer.body['next_steps'] as string[])[0]]).toEqual([
        refused,
        `connector installs get ${installation} --organization ${ORG}`,
      ]);
      return answer.body['detail'];
    };
    expect(await detail('upgrade', requestOf('upgrade', one))).toContain('serves this release already');
    expect(await detail('rollback')).toContain('never served this release');
    expect(await detail('abandon')).toContain('is ACTIVE; from there it goes by upgrade, rollback or remove');
    await waiting('opened');
    expect(await detail('remove')).toContain('is UPGRADING; from there it goes by resume or abandon');
  });

  it('422: every failed check of an upgrade together; 404: no such installation, no such release; 400: a member that there is not', async () => {
    const faulty = await plan('upgrade', {
      request: choices(two, { handler_bindings: [], grants: [{ workload_id: 'dev.nobody', capabilities: ['x.v1'] }] }),
    });
    expect([faulty.status, faulty.body['code'], (faulty.body['errors'] as object[]).length > 1]).toEqual([
      422,
      'HOUSE:operator:PreparationFaulty',
      true,
    ]);
    expect(said(await plan('remove', { installation: NOBODY }))).toEqual([404, 'HOUSE:operator:NotFound', 'nothing']);
    const absent = await plan('upgrade', { request: choices(two, { app_release_digest: `sha256:${'0'.repeat(64)}` }) });
    expect(absent.status).toBe(404);
    const more = await plan('upgrade', { request: choices(two, { installation_id: NOBODY }) });
    expect([more.status, more.body['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/installation_id' })]]);
  });

  it('200: a removal says which references it would wait for, waits for them, and goes on (cat:INST-T09, cat:INST-T10, cat:BIND-11)', async () => {
    const [binding] = (await cli.get(`/v1/bindings/${ORG}/${installation}`)).body['rows'] as { binding_id: string }[];
    const named = { organization: ORG, installation, binding_id: binding?.binding_id, reference_id: 'route-1' };
    await cli.post('/v1/bindings/open-reference', { ...named, kind: 'route', operation_id: OperationId.mint(), by: 'm.ortiz' });
    const planned = await plan('remove');
    expect(stepsOf(planned)).toMatch(
      /ACTIVE -> REMOVING\n.*\n.*epoch 1 -> 2.*\nwithdraw: .*epoch 1 -> 2, revision 1 -> 2.*\nREMOVING -> REMOVED/,
    );
    expect(planned.body['estimate']).toMatchObject({
      dependents: 'none',
      gates: [expect.stringMatching(/ACTIVE for .*: waits for route route-1$/)],
    });
    const removed = await move('remove');
    expect([...said(removed), endOf(removed)]).toEqual([200, 'opened', 'done', 'gates-open']);
    const { body } = await cli.post('/v1/bindings/plan', { ...named, verb: 'close-reference' });
    const closed = { ...named, confirm: body['digest'], operation_id: OperationId.mint(), by: 'm.ortiz' };
    expect(said(await cli.post('/v1/bindings/close-reference', closed))).toEqual([200, 'closed', 'done']);
    const seen = { expected_state: 'REMOVING', expected_activation_epoch: '2' };
    const again = { organization: ORG, installation, ...seen, operation_id: OperationId.mint(), by: 'm.ortiz' };
    expect(endOf(await cli.post('/v1/installs/resume', again))).toBe('removed');
    expect((await plan('upgrade')).body['detail']).toContain('is REMOVED; from there it goes nowhere');
  });

  it('409: a removal under a live dependent names it (cat:A-30)', async () => {
    const range = { minimum_version_inclusive: '1.0.0', maximum_version_exclusive: '2.0.0' };
    const dependent = await world.release((draft) => {
      draft.manifest['dependencies'] = [{ alias: 'base', app_id: APP, ...range, required_capabilities: [] }];
    }, OTHER_APP);
    const body = choices(dependent, { app_id: OTHER_APP, dependencies: [{ alias: 'base', app_release_digest: one?.releaseDigest }] });
    const handler_bindings = [{ capability_id: `${OTHER_APP}.work.v1`, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE }];
    const installed = await callsTo(authority, 'local').post(`/v1/orgs/${ORG}/app-installations`, { ...body, handler_bindings }, 'other');
    const answer = await plan('remove');
    expect([said(answer), answer.body['detail']]).toEqual([
      refused,
      expect.stringContaining(`Resolved to it: ${String(installed.body['installation'])}.`),
    ]);
    expect(said(await plan('upgrade'))).toEqual([422, 'HOUSE:operator:PreparationFaulty', 'nothing']);
  });

  it.each(['opened', 'compiled'] as const)(
    '200: a candidate that is %s is given up by its plan, and what serves stays (cat:INST-T05)',
    async (step) => {
      await waiting(step);
      const planned = await plan('abandon');
      expect((planned.body['plan'] as { expected: object }).expected).toMatchObject({
        state: 'UPGRADING',
        activation_epoch: '1',
        attempt: '2',
      });
      expect(stepsOf(planned)).toMatch(/^lock org-1; end attempt 2 as ABANDONED.*\nwhere nothing .*UPGRADING -> ACTIVE with what it was/);
      const body = await confirmation('abandon');
      const first = await confirm('abandon', body);
      expect(said(first)).toEqual([200, 'abandoned', 'done']);
      expect(await confirm('abandon', body)).toEqual(first);
      expect(await stateNow()).toMatchObject({ state: 'ACTIVE', active_release_digest: one?.releaseDigest, activation_epoch: '1' });
    },
  );

  it('200: what was given up while Runtime security does not answer is told so, and 409 for whoever plans it again', async () => {
    await waiting('compiled');
    const body = await confirmation('abandon');
    await security.stop();
    const given = await confirm('abandon', body);
    expect([said(given), endOf(given)]).toEqual([[200, 'taking-back', 'done'], 'waiting']);
    const again = await plan('abandon');
    expect([said(again), again.body['detail']]).toEqual([refused, expect.stringContaining('attempt 3 takes it back')]);
    security = await bootOn(runtime, schema, home, { CONNECTOR_PORT: new URL(security.url).port });
    expect(said(await confirm('abandon', body))).toEqual([200, 'abandoned', 'done']);
  });

  it('409: another candidate came since the plan of an abandonment: it is not the one that was looked at', async () => {
    await waiting('opened');
    const body = await confirmation('abandon');
    await move('abandon');
    await schema.sql("UPDATE cat_installation SET state = 'UPGRADING', attempt = 3");
    const moved = await confirm('abandon', body);
    expect([...said(moved), moved.body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:CatalogMoved', 'nothing'],
      { kind: 'attempt-moved', attempt: '3' },
    ]);
  });

  it('admitted, refused, unknown: what serves is shown beside what Runtime security admits, and what differs', async () => {
    expect((await stateNow())['admission']).toEqual({ kind: 'admitted', security_epoch: '1' });
    await setOtherInputs(schema.db, otherInputsOf(ORG));
    expect((await stateNow())['admission']).toEqual({ kind: 'admitted', security_epoch: '2' });
    await schema.sql('UPDATE cat_installation SET active_security_epoch = 9');
    expect((await stateNow())['admission']).toEqual({
      ...{ kind: 'refused', code: 'epoch-ahead', current_epoch: '2' },
      detail: 'the tuple is of security epoch 9, which Runtime never allocated: it is at 2',
    });
    await security.stop();
    expect((await stateNow())['admission']).toEqual({ kind: 'unknown', detail: 'Runtime security does not answer' });
    expect(said(await plan('remove'))).toEqual([503, 'HOUSE:operator:CatalogUnavailable', 'nothing']);
    security = await bootOn(runtime, schema, home, { CONNECTOR_PORT: new URL(security.url).port });
  });

  it('200: the audit says which role asked, and who stood behind it', async () => {
    await move('upgrade');
    const { rows } = (await callsTo(service, 'reader', contract.accept).get(`/v1/audit/${ORG}`)).body as unknown as {
      rows: { door: string; caller: string; details: object }[];
    };
    expect(rows.find(({ details }) => (details as { attempt?: string }).attempt === '2')).toMatchObject({
      door: 'open-publication',
      caller: 'operator m.ortiz',
    });
    expect(rows.find(({ caller }) => caller === 'local')).toMatchObject({ door: 'open-publication' });
  });

  it('documented: every operation answered, as the document says', () => {
    expect(contract.unanswered([MOVE_ACTS, AUDIT_ACTS].flatMap(operationIds))).toEqual([]);
  });
});
