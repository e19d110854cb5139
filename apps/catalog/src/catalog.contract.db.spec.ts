import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuidText } from '@connector/kernel/document';
import { AttemptId } from '@connector/kernel/ids';
import { bindingView } from '@connector/catalog/model/documents';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const ORGANIZATION = '018f3c2a-0001-7000-8000-000000000001';
const INSTALLATION = '018f3c2a-0001-7000-8000-000000000002';
const SCOPE = { organization: ORGANIZATION, installation: INSTALLATION, workload: 'wl.one' };
const VIEW = `/v1/orgs/${ORGANIZATION}/app-installations/${INSTALLATION}/workloads/wl.one/integration-binding-view`;

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
  await tokensFor(home, 'catalog', ['local', 'operator', 'cutover-coordinator']);
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
const binding = (over: object = {}) => ({
  kind: 'field-mapping',
  owner_pack: 'dev.example.one',
  pack_installation_id: 'inst-1',
  pack_payload_digest: `sha256:${'0'.repeat(64)}`,
  business_key: 'thing/default',
  definition_version: '1',
  credential_refs: [],
  ...over,
});
const lineage = uuidText(AttemptId.bytes(AttemptId.mint()));
const setView = (over: object = {}) =>
  local.post('/v1/interim-views', { ...SCOPE, lineage_id: lineage, catalog_revision: '1', bindings: [binding()], ...over });
const rows = async (): Promise<number> =>
  (await countOf(schema, 'pck_generation')) + (await countOf(schema, 'cat_interim_view')) + (await countOf(schema, 'pck_definition'));

describe('contract › catalog answers', () => {
  it('201 with where the pack stands and its definitions, 200 with the same when it comes again (cat:INT-11)', async () => {
    const first = await publish(shipped('tern-desk'));
    expect([first.status, first.body['kind'], first.body['owner_pack']]).toEqual([201, 'registered', 'dev.example.tern-desk']);
    expect(first.body['definitions']).toHaveLength(4);
    const again = await publish(shipped('tern-desk'));
    expect([again.status, again.body]).toEqual([200, { ...first.body, kind: 'already-registered' }]);
    expect(await countOf(schema, 'pck_generation')).toBe(1);
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
          },
        ],
      ]);
      expect(await rows()).toBe(0);
    },
  );

  it('422 for a member that JavaScript alone gives a meaning: it is refused, not dropped', async () => {
    const { status, body } = await publish({ ...shipped('larkspur-crm'), constructor: 'x' });
    expect([status, body['code']]).toEqual([422, 'HOUSE:packs:PackFaulty']);
  });

  it('413 above 4 MiB, 400 for a body of another shape', async () => {
    expect((await publish({ ...shipped('larkspur-crm'), more: 'x'.repeat(4 * 1024 * 1024) })).status).toBe(413);
    expect((await local.post('/v1/pack-generations', { organization: ORGANIZATION })).status).toBe(400);
    expect((await publish([])).status).toBe(400);
  });

  it('201 for an interim view that says it is one, 200 for the same again, 409 for another under its revision (cat:INT-06)', async () => {
    const set = await setView();
    expect([set.status, set.body['kind'], set.body['interim']]).toEqual([201, 'set', true]);
    expect((await setView()).body).toEqual({ ...set.body, kind: 'already-set' });
    const other = await setView({ bindings: [binding({ business_key: 'thing/other' })] });
    expect([other.status, other.body['kind'], other.body['view_digest']]).toEqual([409, 'conflicting-view', set.body['view_digest']]);
    expect(await countOf(schema, 'cat_interim_view')).toBe(1);
  });

  it('409 where the revision is not the next one, or the lineage another', async () => {
    expect((await setView({ catalog_revision: '3' })).body).toMatchObject({ kind: 'revision-moved', catalog_revision: '0' });
    await setView();
    const { status, body } = await setView({ catalog_revision: '2', lineage_id: 'another' });
    expect([status, body['kind'], body['lineage_id']]).toEqual([409, 'lineage-differs', lineage]);
  });

  it('400 with a pointer for a binding of a fifth kind (cat:INT-03)', async () => {
    const { status, body } = await setView({ bindings: [binding({ kind: 'secret-mapping' })] });
    expect([status, (body['errors'] as { pointer: string }[])[0]?.pointer]).toEqual([400, '/bindings/0/kind']);
    expect(await rows()).toBe(0);
  });

  it('200 with the exact bytes of the view, 409 below the asked revision, 404 where there is none (cat:INT-06)', async () => {
    await setView();
    const found = await callsTo(service, 'cutover-coordinator').get(`${VIEW}?min_catalog_revision=1`);
    const bytes = Buffer.from(found.body['view_base64'] as string, 'base64');
    expect([found.status, found.body['interim'], found.body['catalog_revision']]).toEqual([200, true, '1']);
    expect(bindingView.parse(bytes).digest).toBe(found.body['view_digest']);
    const early = await local.get(`${VIEW}?min_catalog_revision=2`);
    expect([early.status, early.body]).toEqual([409, { kind: 'not-fresh', current_revision: '1', interim: true }]);
    const none = await local.get(VIEW.replace('wl.one', 'wl.two'));
    expect([none.status, none.body]).toEqual([404, { kind: 'absent', code: 'WORKLOAD_NOT_AUTHORIZED', interim: true }]);
  });

  it('200 with one definition by its whole identity, 404 for any wrong part, 409 for tampered bytes (cat:INT-12)', async () => {
    const { body: pack } = await publish(shipped('tern-desk'));
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
    const wrong = [{ organization: 'other' }, { owner_pack: 'other' }, { pack_installation: 'other' }, { business_key: 'ticket/other' }];
    const more = [{ definition_version: '2' }, { pack_payload_digest: `sha256:${'1'.repeat(64)}` }];
    for (const over of [...wrong, ...more]) expect(await exact(over)).toMatchObject({ status: 404, body: { kind: 'absent' } });
    expect(await exact({}, 'secret-mapping')).toMatchObject({ status: 422, body: { code: 'KIND_UNKNOWN' } });
    await schema.sql("UPDATE pck_definition SET definition = '{}'");
    expect(await exact()).toMatchObject({ status: 409, body: { kind: 'mismatch', code: 'DIGEST_MISMATCH' } });
  });

  it('401 without a token, 403 for a caller of another path; nothing is written', async () => {
    for (const path of ['/v1/pack-generations', '/v1/interim-views', '/v1/binding-definitions/push-contract/read-exact'])
      expect((await callsTo(service).post(path, {})).status).toBe(401);
    expect((await callsTo(service).get(VIEW)).status).toBe(401);
    const coordinator = callsTo(service, 'cutover-coordinator');
    const { status, body } = await coordinator.post('/v1/pack-generations', { organization: ORGANIZATION, pack: shipped('tern-desk') });
    expect([status, body['code']]).toEqual([403, 'HOUSE:http:CallerNotAllowed']);
    expect(await rows()).toBe(0);
  });

  it('livez, readyz and metrics without a token; readiness says that the view is interim', async () => {
    for (const path of ['livez', 'readyz', 'startupz']) expect((await fetch(`${service.url}/${path}`)).status).toBe(200);
    const { body } = await callsTo(service).get('/readyz?verbose');
    expect(body['checks']).toContainEqual({ name: 'binding-view-is-interim', ok: true, detail: 'ok' });
    await setView();
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(
      /connector_outcomes_total\{door="set-interim-view",path="set-interim-view",kind="set"\} [1-9]/,
    );
  });
});
