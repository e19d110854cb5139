import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AttemptId, OperationId } from '@connector/kernel/ids';
import type { AppRelease } from '@connector/catalog/model/release';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { BINDING_ACTS, INSTALL_ACTS, VIEW_ACTS } from '@connector/services/operator/src/api/installs-routes';
import { operator } from '@connector/services/operator/src/operator.service';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { APP, askedFor, platform, publicationWorld, SERVICE_RELEASE, WORKLOAD } from '@connector/testing/fixtures/publication';
import { countOf } from '@connector/testing/fixtures/serving';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const ORG = 'org-1';
/** By the first one a workload may run the connector. */
const CAPABILITIES = ['runtime.integrations.run.v1', 'runtime.records.write.v1'];
const OFFERED = platform({ runtime_capabilities: CAPABILITIES });
const NOBODY = '018f3c2a-0001-7000-8000-000000000001';

let schema: TestSchema;
let home: TestHome;
let security: RunningService;
let authority: RunningService;
let service: RunningService;
let contract: OpenApiContract;
let cli: Calls;
let publisher: Calls;
let release: AppRelease;

/** The operator before a real Catalog and its Runtime security. */
beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli', 'publisher']);
  await tokensFor(home, 'catalog', ['operator']);
  await tokensFor(home, 'runtime', ['catalog', 'operator']);
  const platformFile = join(home.dir, 'platform.json');
  await writeFile(platformFile, JSON.stringify(OFFERED));
  security = await bootOn(runtime, schema, home);
  const given = { CONNECTOR_RUNTIME_URL: security.url, CONNECTOR_PLATFORM_FILE: platformFile, CONNECTOR_POLL_MS: '60000' };
  authority = await bootOn(catalog, schema, home, given);
  service = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: authority.url, CONNECTOR_RUNTIME_URL: security.url });
  contract = await servedContract(service, 'cli');
  [cli, publisher] = [callsTo(service, 'cli', contract.accept), callsTo(service, 'publisher', contract.accept)];
});
beforeEach(async () => {
  await schema.reset();
  release = await (
    await publicationWorld(schema)
  ).release((draft) => {
    Object.assign((draft.manifest['provided_capabilities'] as object[])[0] ?? {}, { required_runtime_capabilities: CAPABILITIES });
  });
});
afterAll(async () => {
  for (const one of [service, authority, security]) await one.stop();
  await schema.close();
  await home.remove();
});

const request = (over: object = {}) => ({
  ...{ app_id: APP, app_release_digest: release.releaseDigest, dependencies: [] },
  grants: [{ workload_id: WORKLOAD, capabilities: CAPABILITIES }],
  handler_bindings: [{ capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE }],
  ...over,
});
const planned = (over: object = {}) => cli.post('/v1/installs/plan', { organization: ORG, request: request(over) });
async function confirmation(over: object = {}) {
  const { body } = await planned();
  const { expected } = body['plan'] as { expected: { catalog_revision: string; security_epoch: string } };
  return {
    ...{ organization: ORG, request: request(), confirm: body['digest'], operation_id: OperationId.mint(), by: 'm.ortiz' },
    ...{ expected_catalog_revision: expected.catalog_revision, expected_security_epoch: expected.security_epoch },
    ...over,
  };
}
const install = async (over: object = {}) => cli.post('/v1/installs/install', await confirmation(over));
const said = ({ status, body }: Answered) => [status, body['code'] ?? body['kind'], body['written'] ?? 'done'];
async function installed(): Promise<string> {
  const { status, body } = await install();
  expect([status, (body['end'] as { kind: string }).kind]).toEqual([200, 'published']);
  return String(body['installation']);
}

describe('contract › operator and installations', () => {
  it('200: the plan says every step with the states, counters and digests that it expects, and writes nothing', async () => {
    const { status, body } = await planned();
    const { steps, expected } = body['plan'] as { steps: string[]; expected: object };
    expect([status, expected]).toMatchObject([
      200,
      { state: 'ABSENT', catalog_revision: '0', security_epoch: '0', app_release_digest: release.releaseDigest },
    ]);
    expect(steps.join('\n')).toMatch(
      /^lock .*revision 0.*PREPARING\ncompile.*\nRuntime security.*epoch 0 -> 1.*\npublish: PREPARING -> ACTIVE.*0 -> 1/,
    );
    expect(body['estimate']).toMatchObject({ handlers: [`${APP}.work.v1 by ${APP}.handler.work.v1`] });
    expect(await countOf(schema, 'cat_publication_step')).toBe(0);
  });

  it('422: every failed check of a plan together, with its rule; nothing is written', async () => {
    const { status, body } = await planned({
      grants: [{ workload_id: 'dev.example.nobody', capabilities: ['runtime.unknown.v1'] }],
      handler_bindings: [],
    });
    const errors = body['errors'] as { code: string; rule: string; pointer: string }[];
    expect([status, body['code'], body['written']]).toEqual([422, 'HOUSE:operator:PreparationFaulty', 'nothing']);
    expect(new Set(errors.map(({ rule }) => rule)).size).toBeGreaterThan(2);
    expect(errors.every(({ code, pointer }) => code !== '' && pointer.startsWith('/'))).toBe(true);
    expect(await countOf(schema, 'cat_publication_step')).toBe(0);
  });

  it('400: a member that the request does not have is told by its place, and so is a body that is none', async () => {
    const { status, body } = await planned({ installation_id: NOBODY });
    expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/installation_id' })]]);
    expect((await cli.post('/v1/installs/plan', { organization: ORG, request: 'all of it' })).status).toBe(400);
  });

  it('200: its digest carries it out once; the same again is answered the same though it stands by then', async () => {
    const body = await confirmation();
    const first = await cli.post('/v1/installs/install', body);
    expect([...said(first), (first.body['end'] as { kind: string }).kind]).toEqual([200, 'opened', 'done', 'published']);
    expect(await cli.post('/v1/installs/install', body)).toEqual(first);
    expect(await countOf(schema, 'cat_installation')).toBe(1);
    const [row] = (await cli.get(`/v1/installs?organization=${ORG}`)).body['rows'] as object[];
    expect(row).toMatchObject({ installation: first.body['installation'], app_id: APP, state: 'ACTIVE', activation_epoch: '1' });
    expect(said(await planned())).toEqual([409, 'HOUSE:operator:CatalogRefused', 'nothing']);
  });

  it('403: a publisher installs nothing', async () => {
    expect((await publisher.post('/v1/installs/install', await confirmation())).status).toBe(403);
    expect(await countOf(schema, 'cat_installation')).toBe(0);
  });

  it('409: the digest of another request, of other counters, and of counters that moved; nothing is written', async () => {
    const unknown = [409, 'HOUSE:operator:PlanUnknown', 'nothing'];
    expect(said(await install({ request: request({ grants: [] }) }))).toEqual(unknown);
    expect(said(await install({ expected_catalog_revision: '1' }))).toEqual(unknown);
    const stale = await confirmation();
    await schema.sql('INSERT INTO cat_lineage (organization_id, lineage_id, catalog_revision) VALUES (?, ?, 3)', [
      Buffer.from(ORG),
      Buffer.from(NOBODY),
    ]);
    const moved = await cli.post('/v1/installs/install', stale);
    expect([...said(moved), moved.body['expected'], moved.body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:CatalogMoved', 'nothing'],
      { catalog_revision: '0', security_epoch: '0' },
      { kind: 'expected-moved', catalog_revision: '3', security_epoch: '0' },
    ]);
    expect(await countOf(schema, 'cat_installation')).toBe(0);
  });

  it('422: what is refused after all says that only its journal was written', async () => {
    const body = await confirmation();
    await schema.sql("UPDATE cat_publisher_key SET valid_until = '2001-01-02 00:00:00'");
    const answer = await cli.post('/v1/installs/install', body);
    expect([...said(answer), (answer.body['errors'] as { rule: string }[])[0]?.rule]).toEqual([
      ...[422, 'HOUSE:operator:PreparationRefused', 'journal'],
      'PREP-01',
    ]);
    expect([await countOf(schema, 'cat_publication_step'), await countOf(schema, 'cat_installation')]).toEqual([1, 0]);
  });

  it('200: one installation, its bindings, and what each step committed', async () => {
    const installation = await installed();
    expect((await cli.get(`/v1/installs/${ORG}/${installation}`)).body).toMatchObject({
      ...{ app_id: APP, state: 'ACTIVE', security_epoch: '1', catalog_revision: '1' },
      bindings: [{ capability_id: `${APP}.work.v1`, state: 'ACTIVE', ownership_epoch: '1' }],
    });
    const { entries } = (await cli.get(`/v1/installs/${ORG}/${installation}/journal`)).body as unknown as {
      entries: { step: string; entry: object }[];
    };
    expect(entries.map(({ step }) => step)).toEqual(['opened', 'compiled', 'acknowledged', 'published']);
    expect(entries[3]?.entry).toMatchObject({ catalog_revision: '1', activation_epoch: '1' });
    expect((await cli.get(`/v1/bindings/${ORG}/${installation}`)).body['rows']).toMatchObject([
      { capability_id: `${APP}.work.v1`, artifact_digest: SERVICE_RELEASE, app_release_digest: release.releaseDigest },
    ]);
    expect((await cli.get(`/v1/installs/${ORG}/${NOBODY}`)).status).toBe(404);
    expect((await cli.get(`/v1/installs/${ORG}/${installation}/journal?from_attempt=x`)).status).toBe(400);
  });

  it('200: an open attempt goes on from its journal when it is resumed; 409 for one that serves, and for another epoch than was seen', async () => {
    const asked = askedFor(release, { grants: [{ workloadId: WORKLOAD, capabilities: CAPABILITIES }] });
    const { installation } = await (await publicationWorld(schema, { offered: OFFERED })).opened(ORG, asked);
    const resume = (expected_state: string, expected_activation_epoch: string) =>
      cli.post('/v1/installs/resume', {
        ...{ organization: ORG, installation, expected_state, expected_activation_epoch },
        operation_id: OperationId.mint(),
        by: 'm.ortiz',
      });
    const resumed = await resume('PREPARING', '0');
    expect([...said(resumed), (resumed.body['end'] as { kind: string }).kind]).toEqual([200, 'opened', 'done', 'published']);
    expect(said(await resume('ACTIVE', '1'))).toEqual([409, 'HOUSE:operator:CatalogRefused', 'nothing']);
    expect(said(await resume('ACTIVE', '2'))).toEqual([409, 'HOUSE:operator:CatalogMoved', 'nothing']);
  });

  it('503: Runtime security does not answer, so nothing can be planned; with it the plan is the same', async () => {
    const { body } = await planned();
    await security.stop();
    expect(said(await planned())).toEqual([503, 'HOUSE:operator:CatalogUnavailable', 'nothing']);
    security = await bootOn(runtime, schema, home, { CONNECTOR_PORT: new URL(security.url).port });
    expect((await planned()).body['digest']).toBe(body['digest']);
  });
});

describe('contract › operator and bindings', () => {
  const keyed = (body: object) => ({ organization: ORG, ...body, operation_id: OperationId.mint(), by: 'm.ortiz' });
  const wanted = { capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, artifact_digest: SERVICE_RELEASE };
  const stage = (installation: string, over: object = {}) => cli.post('/v1/bindings/stage', keyed({ installation, ...wanted, ...over }));
  const digestOf = async (verb: string, installation: string, binding_id: unknown) =>
    (await cli.post('/v1/bindings/plan', { organization: ORG, installation, binding_id, verb })).body['digest'];
  const first = async (installation: string): Promise<unknown> =>
    ((await cli.get(`/v1/bindings/${ORG}/${installation}`)).body['rows'] as { binding_id: string }[])[0]?.binding_id;

  it('200: staged, activated by its plan under the ownership epoch that it says, and the one before is retired', async () => {
    const installation = await installed();
    const old = await first(installation);
    const { binding_id } = (await stage(installation)).body;
    const named = { installation, binding_id, confirm: await digestOf('activate', installation, binding_id) };
    expect(said(await cli.post('/v1/bindings/activate', keyed({ ...named, expected_ownership_epoch: '0' })))).toEqual([
      ...[409, 'HOUSE:operator:PlanUnknown', 'nothing'],
    ]);
    const confirmation = keyed({ ...named, expected_ownership_epoch: '1' });
    const activated = await cli.post('/v1/bindings/activate', confirmation);
    expect([...said(activated), activated.body['ownership_epoch']]).toEqual([200, 'activated', 'done', '2']);
    expect(await cli.post('/v1/bindings/activate', confirmation)).toEqual(activated);
    const retired = keyed({ installation, binding_id: old, confirm: await digestOf('retire', installation, old) });
    expect(said(await cli.post('/v1/bindings/retire', retired))).toEqual([200, 'retired', 'done']);
  });

  it('409: another one was activated since the plan; 200: the one that is late is given up', async () => {
    const installation = await installed();
    const [late, soon] = [(await stage(installation)).body['binding_id'], (await stage(installation)).body['binding_id']];
    const planned = async (binding_id: unknown) =>
      keyed({ installation, binding_id, confirm: await digestOf('activate', installation, binding_id), expected_ownership_epoch: '1' });
    const [one, other] = [await planned(late), await planned(soon)];
    expect((await cli.post('/v1/bindings/activate', other)).status).toBe(200);
    const moved = await cli.post('/v1/bindings/activate', one);
    expect([...said(moved), moved.body['expected'], moved.body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:CatalogMoved', 'nothing', { ownership_epoch: '1' }],
      { kind: 'ownership-epoch-stale', ownership_epoch: '2' },
    ]);
    const given = keyed({ installation, binding_id: late, confirm: await digestOf('fail', installation, late) });
    expect(said(await cli.post('/v1/bindings/fail', given))).toEqual([200, 'failed', 'done']);
    const over = await cli.post('/v1/bindings/plan', { organization: ORG, installation, binding_id: late, verb: 'activate' });
    expect([...said(over), over.body['actual']]).toEqual([409, 'HOUSE:operator:CatalogRefused', 'nothing', { state: 'FAILED' }]);
  });

  it('200: what refers to a binding keeps it, until it is closed or somebody decides that it need not be kept (cat:BIND-11, cat:A-34)', async () => {
    const installation = await installed();
    const old = await first(installation);
    const named = { installation, binding_id: old };
    const refer = (reference_id: string) => cli.post('/v1/bindings/open-reference', keyed({ ...named, reference_id, kind: 'work' }));
    expect(said(await refer('work-1'))).toEqual([200, 'opened', 'done']);
    expect(said(await refer('work-1'))).toEqual([200, 'already-open', 'done']);
    const other = await cli.post('/v1/bindings/open-reference', keyed({ ...named, reference_id: 'work-1', kind: 'route' }));
    expect([...said(other), other.body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:CatalogRefused', 'nothing', { kind: 'conflicting-reference', reference_kind: 'work' }],
    ]);
    await refer('work-2');
    const { binding_id } = (await stage(installation)).body;
    const next = { installation, binding_id, expected_ownership_epoch: '1', confirm: await digestOf('activate', installation, binding_id) };
    await cli.post('/v1/bindings/activate', keyed(next));
    const shown = async () => (await cli.get(`/v1/bindings/${ORG}/${installation}/${String(old)}`)).body;
    expect(await shown()).toMatchObject({
      state: 'DRAINING',
      references: [{ reference_id: 'work-1' }, { reference_id: 'work-2' }],
      retention: null,
    });
    const retire = async () => cli.post('/v1/bindings/retire', keyed({ ...named, confirm: await digestOf('retire', installation, old) }));
    const held = await retire();
    expect([said(held), held.body['detail']]).toEqual([
      [409, 'HOUSE:operator:CatalogRefused', 'nothing'],
      expect.stringContaining('Still referred to by work-1, work-2.'),
    ]);
    const planClose = (reference_id?: string) =>
      cli.post('/v1/bindings/plan', { organization: ORG, ...named, verb: 'close-reference', ...(reference_id && { reference_id }) });
    expect((await planClose()).status).toBe(400);
    const close = async (reference_id: string, confirm: unknown) =>
      cli.post('/v1/bindings/close-reference', keyed({ ...named, reference_id, confirm }));
    const { digest } = (await planClose('work-1')).body;
    expect(said(await close('work-2', digest))).toEqual([409, 'HOUSE:operator:PlanUnknown', 'nothing']);
    expect(said(await close('work-1', digest))).toEqual([200, 'closed', 'done']);
    expect((await planClose('work-1')).body['digest']).toBe(digest);
    expect(said(await planClose('work-3'))).toEqual([404, 'HOUSE:operator:NotFound', 'nothing']);
    const decide = keyed({ ...named, confirm: await digestOf('decide-retention', installation, old), reason: 'its owner is gone' });
    expect(said(await cli.post('/v1/bindings/decide-retention', decide))).toEqual([200, 'decided', 'done']);
    expect((await shown())['retention']).toMatchObject({ decided_by: 'operator m.ortiz', reason: 'its owner is gone' });
    expect(said(await retire())).toEqual([200, 'retired', 'done']);
    const over = await cli.post('/v1/bindings/plan', { organization: ORG, ...named, verb: 'decide-retention' });
    expect([...said(over), over.body['actual']]).toEqual([409, 'HOUSE:operator:CatalogRefused', 'nothing', { state: 'RETIRED' }]);
    const { rows } = (await cli.get(`/v1/audit/${installation}`)).body as unknown as { rows: { door: string; caller: string }[] };
    expect(rows.map(({ door, caller }) => `${door} by ${caller}`)).toEqual(
      expect.arrayContaining(['close-binding-reference by operator m.ortiz', 'decide-retention by operator m.ortiz']),
    );
  });

  it('422: every check that refuses a binding; 404: none of this id; 403: a publisher binds nothing', async () => {
    const installation = await installed();
    const refused = await stage(installation, { capability_id: 'dev.x.y.v1' });
    expect([...said(refused), (refused.body['errors'] as { code: string }[])[0]?.code]).toEqual([
      ...[422, 'HOUSE:operator:BindingIncompatible', 'nothing', 'CAPABILITY_UNDECLARED'],
    ]);
    expect(said(await cli.post('/v1/bindings/plan', { organization: ORG, installation, binding_id: NOBODY, verb: 'fail' }))).toEqual([
      ...[404, 'HOUSE:operator:NotFound', 'nothing'],
    ]);
    expect((await publisher.post('/v1/bindings/stage', keyed({ installation, ...wanted }))).status).toBe(403);
    expect(await countOf(schema, 'cat_binding')).toBe(1);
  });
});

describe('contract › operator and memberships', () => {
  const set = (installation: string, over: object = {}) =>
    cli.post('/v1/membership', {
      ...{ organization: ORG, installation, workload: WORKLOAD, expected_catalog_revision: '1', bindings: [] },
      ...{ operation_id: OperationId.mint(), by: 'm.ortiz', ...over },
    });
  const show = (installation: string, workload = WORKLOAD) => cli.get(`/v1/membership/${ORG}/${installation}/${workload}`);

  it('200: it is set under the revision that somebody saw, and shown as an epoch would freeze it; 409 where that moved', async () => {
    const installation = await installed();
    const first = await set(installation);
    expect(said(first)).toEqual([200, 'set', 'done']);
    const moved = await set(installation, { workload: 'dev.example.other' });
    expect([...said(moved), moved.body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:CatalogMoved', 'nothing'],
      { kind: 'revision-moved', catalog_revision: '2' },
    ]);
    expect((await show(installation)).body).toMatchObject({
      ...{ workload: WORKLOAD, catalog_revision: '2', lineage: { catalog_revision: '2' } },
      view: { authorized_workload_id: WORKLOAD, bindings: [] },
    });
  });

  it('422: every fault of a membership together; nothing is written', async () => {
    const installation = await installed();
    const binding = {
      ...{
        kind: 'inbound-route',
        owner_pack: 'dev.example.nobody',
        pack_installation_id: 'none',
        business_key: 'k',
        definition_version: '1',
      },
      ...{ pack_payload_digest: `sha256:${'0'.repeat(64)}`, credential_refs: [] },
    };
    const { status, body } = await set(installation, { bindings: [binding, { ...binding, business_key: 'l' }] });
    const errors = body['errors'] as { rule: string; pointer: string }[];
    expect([status, body['code'], errors.length >= 2]).toEqual([422, 'HOUSE:operator:MembershipFaulty', true]);
    expect(errors.some(({ pointer }) => pointer.startsWith('/bindings/1'))).toBe(true);
    expect(await countOf(schema, 'cat_membership_head')).toBe(0);
  });

  it('503: cat:INT-16 an activation holds the authors off: whose it is stands beside, and the same asking is answered when it is over', async () => {
    const installation = await installed();
    const [attempt, operation_id] = [AttemptId.mint(), OperationId.mint()];
    await schema.sql("UPDATE cat_publication_barrier SET state = 'held', attempt_id = ?", [AttemptId.bytes(attempt)]);
    const held = await set(installation, { operation_id });
    expect([...said(held), held.body['actual']]).toEqual([
      ...[503, 'HOUSE:operator:PublicationBarrierHeld', 'nothing'],
      { attempt_id: attempt },
    ]);
    await schema.sql("UPDATE cat_publication_barrier SET state = 'open', attempt_id = NULL");
    expect(said(await set(installation, { operation_id }))).toEqual([200, 'set', 'done']);
  });

  it('404: no view says why, and at which revision a membership could be set', async () => {
    const installation = await installed();
    const { status, body } = await show(installation, 'dev.example.other');
    expect([status, body['code']]).toEqual([404, 'HOUSE:operator:NotFound']);
    expect(body['detail']).toContain(`${ORG} is at catalog revision 1.`);
    expect(said(await set(installation, { workload: 'dev.example.other' }))).toEqual([200, 'set', 'done']);
    const wanted = await show(installation, 'dev.example.other');
    expect([wanted.status, wanted.body['next_steps']]).toEqual([
      404,
      [`connector installs get ${installation} --organization ${ORG}, which says whom it grants what; a membership grants nothing`],
    ]);
    expect(said(await set(NOBODY))).toEqual([404, 'HOUSE:operator:NotFound', 'nothing']);
  });

  it('documented: every operation answered, as the document says', () => {
    expect(contract.unanswered([INSTALL_ACTS, VIEW_ACTS, BINDING_ACTS].flatMap(operationIds))).toEqual([]);
  });
});
