import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EpochId } from '@connector/kernel/ids';
import { bindingView } from '@connector/catalog/model/documents';
import { packManifest } from '@connector/packs/model/documents';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { INSTALLATION, installedApp, ORGANIZATION } from '@connector/testing/fixtures/installation';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const WORKLOAD = 'wl.workbench';
const SCOPE = { organization: ORGANIZATION, installation: INSTALLATION, workload: WORKLOAD };
const PLACE = `/v1/orgs/${ORGANIZATION}/app-installations/${INSTALLATION}`;
const VIEW = `${PLACE}/workloads/${WORKLOAD}/integration-binding-view`;

interface Definition {
  readonly definition: Record<string, unknown>;
}
interface Pack {
  readonly definitions: Record<string, Definition[]>;
}
const shipped = (name: string): Pack =>
  JSON.parse(readFileSync(join(__dirname, '../../../libs/shipped-packs', name, 'pack.json'), 'utf8')) as Pack;

let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let local: Calls;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'catalog', ['local', 'operator', 'cutover-coordinator', 'publisher', 'pack-owner', 'reader']);
  await tokensFor(home, 'runtime', ['catalog']);
  service = await bootOn(catalog, schema, home);
  local = callsTo(service, 'local');
});
beforeEach(() => schema.reset());
afterAll(async () => {
  await service.stop();
  await schema.close();
  await home.remove();
});

const publish = (pack: unknown) => local.post('/v1/pack-generations', { organization: ORGANIZATION, pack });
interface Placed {
  readonly owner_pack: string;
  readonly pack_installation_id: string;
  readonly payload_digest: string;
  readonly definitions: readonly { readonly kind: string; readonly business_key: string; readonly definition_version: string }[];
}
/** Every definition of a published pack, as a membership names it. */
const bindingsOf = (placed: Placed) =>
  placed.definitions.map(({ kind, business_key, definition_version }) => ({
    ...{ kind, business_key, definition_version, owner_pack: placed.owner_pack, credential_refs: [] as string[] },
    ...{ pack_installation_id: placed.pack_installation_id, pack_payload_digest: placed.payload_digest },
  }));
const desk = async () => bindingsOf((await publish(shipped('tern-desk'))).body as unknown as Placed);
let asked = 0;
const want = (bindings: readonly object[], expected = '1', key = `key-${(asked += 1)}`) =>
  local.put(`${PLACE}/integration-bindings`, { workload: WORKLOAD, expected_catalog_revision: expected, bindings }, key);
const rows = async (): Promise<number> => {
  const tables = ['pck_generation', 'pck_definition', 'cat_authorized_binding', 'cat_integration_view', 'cat_request'];
  return (await Promise.all(tables.map((table) => countOf(schema, table)))).reduce((sum, count) => sum + count, 0);
};

describe('contract › catalog answers', () => {
  it('201 with where the pack stands and its definitions, 200 with the same when it comes again (cat:INT-11)', async () => {
    const first = await publish(shipped('tern-desk'));
    expect([first.status, first.body['kind'], first.body['owner_pack']]).toEqual([201, 'registered', 'dev.example.tern-desk']);
    expect(first.body['definitions']).toHaveLength(4);
    const again = await publish(shipped('tern-desk'));
    expect([again.status, again.body]).toEqual([200, { ...first.body, kind: 'already-registered' }]);
    expect(await countOf(schema, 'pck_generation')).toBe(1);
  });

  it('200 with a generation by where it stands, byte for byte and for whoever may read; 404 for none, 422 for what is no id', async () => {
    const { body: pack } = await publish(shipped('tern-desk'));
    const at = (id: unknown, role = 'reader') => callsTo(service, role).get(`/v1/pack-generations/${String(id)}`);
    const { status, body } = await at(pack['storage_id']);
    const { manifest_base64: manifest, registered_at: since, ...named } = body;
    const { storage_id, owner_pack, pack_version, payload_digest } = pack;
    expect([status, named]).toEqual([200, { kind: 'found', storage_id, owner_pack, pack_version, payload_digest }]);
    expect(since).toMatch(/^20.*Z$/);
    expect(packManifest.parse(Buffer.from(String(manifest), 'base64')).digest).toBe(payload_digest);
    const other = `${String(storage_id).slice(0, -4)}0000`;
    expect(await at(other)).toEqual({ status: 404, body: { kind: 'absent', code: 'GENERATION_ABSENT' } });
    for (const text of ['desk', String(storage_id).toUpperCase(), `${String(storage_id)}0`])
      expect(await at(text)).toEqual({ status: 422, body: { kind: 'invalid', code: 'ID_NOT_CANONICAL' } });
    expect((await at(storage_id, 'cutover-coordinator')).status).toBe(403);
  });

  it('409 with both digests when other bytes come under a used version; nothing is written', async () => {
    const first = await publish(shipped('larkspur-crm'));
    const before = await rows();
    const pack = shipped('larkspur-crm');
    const [route] = pack.definitions['inbound-route'] as [Definition];
    route.definition['items_max'] = 7;
    const { status, body } = await publish(pack);
    expect([status, body['kind'], body['stored_digest']]).toEqual([409, 'conflicting-version', first.body['payload_digest']]);
    expect(body['given_digest']).toMatch(/^sha256:/);
    expect(await rows()).toBe(before);
  });

  it('422 with every fault of the pack together and a pointer to each; nothing is written', async () => {
    const pack = shipped('larkspur-crm');
    const [route] = pack.definitions['inbound-route'] as [Definition];
    route.definition['items'] = 'body..';
    route.definition['mapping'] = 'nobody/knows';
    const { status, body } = await publish(pack);
    const pointers = (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect([status, body['code']]).toEqual([422, 'HOUSE:packs:PackFaulty']);
    expect(pointers).toEqual(
      expect.arrayContaining([
        '/pack/definitions/inbound-route/0/definition/items',
        '/pack/definitions/inbound-route/0/definition/mapping',
      ]),
    );
    expect(await rows()).toBe(0);
  });

  it.each(['position', 'tie_breaker', 'settle_ms'])(
    '422 with code and pointer: a route that asks for the latest position and says no %s is not registered (PUB-ORD-04, con:ORD-04)',
    async (member) => {
      const pack = shipped('tern-desk');
      const ordering = pack.definitions['inbound-route']?.[0]?.definition['ordering'] as Record<string, unknown>;
      expect(ordering).toHaveProperty('kind', 'latest_source_position');
      delete ordering[member];
      const { status, body } = await publish(pack);
      expect([status, body['code'], body['errors']]).toEqual([
        422,
        'HOUSE:packs:PackFaulty',
        [
          {
            pointer: '/pack/definitions/inbound-route/0/definition/ordering',
            detail: expect.stringMatching(new RegExp(`^shape-wrong: expected must have required property '${member}'`)),
            ...{ code: 'shape-wrong', rule: 'con:ORD-08', found: 'nothing' },
            ...{ expected: `must have required property '${member}'`, hint: expect.any(String) },
          },
        ],
      ]);
      expect(await rows()).toBe(0);
    },
  );

  it('422 with a hundred faults and the count of the others; nothing is written', async () => {
    const pack = shipped('larkspur-crm');
    const [route] = pack.definitions['inbound-route'] as [Definition];
    for (let n = 0; n < 130; n += 1) route.definition[`member_${n}`] = n;
    const { status, body } = await publish(pack);
    expect([status, (body['errors'] as object[]).length, body['errors_more']]).toEqual([422, 100, 30]);
    expect(await rows()).toBe(0);
  });

  it('422 for a member that JavaScript alone gives a meaning: it is refused, not dropped', async () => {
    const { status, body } = await publish({ ...shipped('larkspur-crm'), constructor: 'x' });
    expect([status, body['code']]).toEqual([422, 'HOUSE:packs:PackFaulty']);
  });

  it('413 above 8 MiB, 400 for a body of another shape', async () => {
    expect((await publish({ ...shipped('larkspur-crm'), more: 'x'.repeat(8 * 1024 * 1024) })).status).toBe(413);
    expect((await local.post('/v1/pack-generations', { organization: ORGANIZATION })).status).toBe(400);
    expect((await publish([])).status).toBe(400);
  });

  it('201 for a membership, 200 for the same again, 409 under a revision that moved, 404 where nothing is installed (cat:INT-01)', async () => {
    const bindings = await desk();
    expect(await want(bindings)).toEqual({ status: 404, body: { kind: 'installation-absent' } });
    await installedApp(schema);
    const set = await want(bindings, '1', 'one');
    expect([set.status, set.body['kind'], set.body['catalog_revision']]).toEqual([201, 'set', '2']);
    expect(await want(bindings, '1', 'one')).toEqual(set);
    expect(await want([...bindings].reverse(), '2')).toEqual({ status: 200, body: { ...set.body, kind: 'already-set' } });
    expect(await want([])).toEqual({ status: 409, body: { kind: 'revision-moved', catalog_revision: '2' } });
  });

  it('422 with every fault of a membership together and a pointer to each; nothing is written (cat:INT-12, cat:INT-15)', async () => {
    await installedApp(schema);
    const [first, second, third, fourth] = await desk();
    const before = await rows();
    const wrong = [
      { ...first, pack_payload_digest: `sha256:${'0'.repeat(64)}` },
      { ...second, pack_installation_id: 'other' },
      { ...third, definition_version: '9' },
      { ...fourth, credential_refs: ['desk/api-token', 'Bearer abc'] },
    ];
    const { status, body } = await want(wrong);
    expect([status, body['code']]).toEqual([422, 'HOUSE:catalog:MembershipFaulty']);
    const errors = body['errors'] as { pointer: string; detail: string }[];
    expect(errors.map(({ pointer, detail }) => `${pointer} ${detail.split(':')[0] ?? ''}`)).toEqual([
      '/bindings/2/pack_payload_digest BINDING_DRIFT',
      '/bindings/3/pack_payload_digest BINDING_DRIFT',
      '/bindings/3/credential_refs/1 ID_NOT_CANONICAL',
      '/bindings/0/pack_payload_digest GENERATION_ABSENT',
      '/bindings/1/pack_installation_id INSTALLATION_ABSENT',
      '/bindings/2 DEFINITION_ABSENT',
    ]);
    expect([await rows(), JSON.stringify(body).includes('Bearer')]).toEqual([before, false]);
  });

  it('400 for a fifth kind, an id of the caller’s, a write without a key, or a key that stands for another request (cat:INT-03, cat:ID-14)', async () => {
    await installedApp(schema);
    const [first, ...more] = await desk();
    const pointers = async (bindings: readonly object[]) =>
      ((await want(bindings)).body['errors'] as { pointer: string }[]).map((one) => one.pointer);
    expect(await pointers([{ ...first, kind: 'secret-mapping' }])).toEqual(['/bindings/0/kind']);
    expect(await pointers([{ ...first, binding_id: 'mine' }])).toEqual(['/bindings/0/binding_id']);
    const body = { workload: WORKLOAD, expected_catalog_revision: '1', bindings: more };
    expect((await local.put(`${PLACE}/integration-bindings`, body)).status).toBe(400);
    expect(await countOf(schema, 'cat_authorized_binding')).toBe(0);
    await want(more, '1', 'used');
    expect(await want([], '2', 'used')).toMatchObject({ status: 400, body: { code: 'HOUSE:catalog:RequestReused' } });
  });

  it('200 with the exact bytes of the view, 409 below the asked revision, 404 by name where there is none (cat:INT-06, cat:INT-22)', async () => {
    expect(await local.get(VIEW)).toEqual({ status: 404, body: { kind: 'absent', code: 'INSTALLATION_NOT_ACTIVE' } });
    await installedApp(schema);
    const bindings = await desk();
    await want(bindings);
    const found = await callsTo(service, 'cutover-coordinator').get(`${VIEW}?min_catalog_revision=2`);
    const bytes = Buffer.from(found.body['view_base64'] as string, 'base64');
    const { value, digest } = bindingView.parse(bytes);
    expect([found.status, digest, found.body['lineage']]).toEqual([200, found.body['view_digest'], value.lineage]);
    expect(value.bindings).toHaveLength(bindings.length);
    expect(await local.get(`${VIEW}?min_catalog_revision=3`)).toEqual({ status: 409, body: { kind: 'not-fresh', current_revision: '2' } });
    const never = await local.get(`${VIEW}?min_catalog_revision=9223372036854775808`);
    expect(never).toEqual({ status: 409, body: { kind: 'not-fresh', current_revision: '2' } });
    for (const bound of ['007', '-1', '+2', '2.0', '0x2', '', '%202', '100000000000000000000'])
      expect((await local.get(`${VIEW}?min_catalog_revision=${bound}`)).status).toBe(400);
    const other = await local.get(VIEW.replace(WORKLOAD, 'wl.two'));
    expect(other).toEqual({ status: 404, body: { kind: 'absent', code: 'WORKLOAD_NOT_AUTHORIZED' } });
  });

  it('200 with one definition by its whole identity, 404 for any wrong part, 409 for tampered bytes (cat:INT-12)', async () => {
    await installedApp(schema);
    const { body: pack } = await publish(shipped('tern-desk'));
    await want(bindingsOf(pack as unknown as Placed));
    // Membership moved on; what was authorized stays readable (cat:INT-13).
    await want([], '2');
    const exact = (over: object = {}, kind = 'push-contract') =>
      local.post(`/v1/binding-definitions/${kind}/read-exact`, {
        ...SCOPE,
        owner_pack: pack['owner_pack'],
        pack_installation: pack['pack_installation_id'],
        pack_payload_digest: pack['payload_digest'],
        business_key: 'ticket/create',
        definition_version: '1',
        ...over,
      });
    expect(await exact()).toMatchObject({ status: 200, body: { kind: 'found', pack_generation_storage_id: pack['storage_id'] } });
    const wrong = [
      { organization: 'other' },
      { installation: 'other' },
      { workload: 'wl.two' },
      { owner_pack: 'other' },
      { pack_installation: 'other' },
      { business_key: 'ticket/other' },
    ];
    const more = [{ definition_version: '2' }, { pack_payload_digest: `sha256:${'1'.repeat(64)}` }];
    for (const over of [...wrong, ...more]) expect(await exact(over)).toMatchObject({ status: 404, body: { kind: 'absent' } });
    expect(await exact({}, 'secret-mapping')).toMatchObject({ status: 422, body: { code: 'KIND_UNKNOWN' } });
    await schema.sql("UPDATE pck_definition SET definition = '{}'");
    expect(await exact()).toMatchObject({ status: 409, body: { kind: 'mismatch', code: 'DIGEST_MISMATCH' } });
  });

  it('200 for pins and what is pinned, 404 for what is absent, 409 for another digest (cat:INT-13)', async () => {
    const { body: pack } = await publish(shipped('tern-desk'));
    const coordinator = callsTo(service, 'cutover-coordinator');
    const path = `/v1/generation-pins/${EpochId.mint()}`;
    const named = { storage_id: pack['storage_id'], pack_payload_digest: pack['payload_digest'] };
    const epoch_digest = `sha256:${'1'.repeat(64)}`;
    expect(await coordinator.get(path)).toEqual({ status: 404, body: { kind: 'absent', code: 'EPOCH_NOT_PINNED' } });
    const gone = await coordinator.put(path, { epoch_digest, generations: [named, { ...named, storage_id: 'gone' }] });
    expect(gone).toMatchObject({ status: 404, body: { kind: 'absent', code: 'GENERATION_ABSENT', which: [{ storage_id: 'gone' }] } });
    for (const _ of [1, 2])
      expect(await coordinator.put(path, { epoch_digest, generations: [named] })).toEqual({ status: 200, body: { kind: 'pinned' } });
    expect((await coordinator.get(path)).body).toEqual({ kind: 'found', epoch_digest, storage_ids: [pack['storage_id']] });
    const other = await coordinator.put(path, { epoch_digest: `sha256:${'2'.repeat(64)}`, generations: [named] });
    expect(other).toEqual({ status: 409, body: { kind: 'conflicting-pin', epoch_digest } });
    expect((await coordinator.put(path, { epoch_digest, generations: [] })).status).toBe(400);
    expect((await local.put(path, { epoch_digest, generations: [named] })).status).toBe(403);
  });

  it('401 without a token, 403 for a caller of another path; nothing is written', async () => {
    for (const path of ['/v1/pack-generations', '/v1/binding-definitions/push-contract/read-exact'])
      expect((await callsTo(service).post(path, {})).status).toBe(401);
    expect((await callsTo(service).put(`${PLACE}/integration-bindings`, {})).status).toBe(401);
    expect((await callsTo(service).get(VIEW)).status).toBe(401);
    const coordinator = callsTo(service, 'cutover-coordinator');
    expect((await coordinator.put(`${PLACE}/integration-bindings`, {})).status).toBe(403);
    const { status, body } = await coordinator.post('/v1/pack-generations', { organization: ORGANIZATION, pack: shipped('tern-desk') });
    expect([status, body['code']]).toEqual([403, 'HOUSE:http:CallerNotAllowed']);
    expect(await rows()).toBe(0);
  });

  it('403 for the token of a role that catalog.md B.3 does not have for the path, whoever passes it on; nothing is written', async () => {
    await installedApp(schema);
    const as = (role: string) => callsTo(service, role);
    const pack = { organization: ORGANIZATION, pack: shipped('tern-desk') };
    const before = await rows();
    for (const role of ['publisher', 'reader', 'cutover-coordinator'])
      expect((await as(role).post('/v1/pack-generations', pack)).status).toBe(403);
    for (const role of ['publisher', 'pack-owner', 'reader']) {
      for (const path of [`${PLACE}/remove`, `${PLACE}/remove/plan`, `${PLACE}/handler-bindings`])
        expect((await as(role).post(path, {}, 'k')).status).toBe(403);
      expect((await as(role).put(`${PLACE}/integration-bindings`, {}, 'k')).status).toBe(403);
      expect((await as(role).get(`${PLACE}/journal`)).status).toBe(200);
    }
    expect((await as('pack-owner').post('/v1/app-releases', {}, 'k')).status).toBe(403);
    expect((await as('publisher').post('/v1/app-releases', {}, 'k')).status).toBe(400);
    expect(await rows()).toBe(before);
    expect((await as('pack-owner').post('/v1/pack-generations', pack)).status).toBe(201);
  });

  it('the audit has the person whom the operator names; 403 for a service that names one, 400 for what is no name', async () => {
    const register = (caller: string, person: string, key: string) =>
      callsTo(service, caller, undefined, { 'connector-person': person }).put(`/v1/publishers/${key}`, {}, key);
    expect((await register('operator', 'm.ortiz', 'dev.north')).status).toBe(201);
    const named = await register('local', 'm.ortiz', 'dev.south');
    expect([named.status, named.body['code']]).toEqual([403, 'HOUSE:catalog:PersonNotNamed']);
    expect((await register('operator', 'x'.repeat(49), 'dev.west')).status).toBe(400);
    const [{ caller } = {}] = await schema.sql('SELECT caller FROM cat_audit');
    expect([String(caller), await countOf(schema, 'cat_publisher')]).toEqual(['operator m.ortiz', 1]);
  });

  it('404 for a verb that an installation does not have, 400 for one without what the asker saw', async () => {
    await installedApp(schema);
    const { status, body } = await local.post(`${PLACE}/burn`, {}, 'k');
    expect([status, body['code'], body['detail']]).toEqual([
      404,
      'HOUSE:catalog:NoSuchVerb',
      expect.stringContaining('upgrade, rollback, remove, abandon, resume'),
    ]);
    const bare = await local.post(`${PLACE}/remove`, { expected_state: 'REMOVED' }, 'k');
    expect([bare.status, (bare.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)]).toEqual([
      400,
      ['/expected_state', '/expected_activation_epoch'],
    ]);
    expect((await local.post(`${PLACE}/remove/plan`, { why: 'x' })).status).toBe(400);
  });

  it('livez, readyz and metrics without a token; doors are counted by their kinds', async () => {
    for (const path of ['livez', 'readyz', 'startupz']) expect((await fetch(`${service.url}/${path}`)).status).toBe(200);
    await installedApp(schema);
    await want([]);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(
      /connector_outcomes_total\{door="set-membership",path="[^"]*",kind="set"\} [1-9]/,
    );
  });
});
