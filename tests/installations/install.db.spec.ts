import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppRelease } from '@connector/catalog/model/release';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { APP, platform, publicationWorld, SERVICE_RELEASE, WORKLOAD } from '@connector/testing/fixtures/publication';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const ORG = '018f3c2a-0001-7000-8000-000000000001';
const PLACE = `/v1/orgs/${ORG}/app-installations`;

let schema: TestSchema;
let home: TestHome;
let services: readonly RunningService[];
let local: Calls;
let release: AppRelease;

/** Catalog with its configured platform, and the Runtime with its security; both real, each its own HTTP server. */
beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'catalog', ['local', 'operator', 'cutover-coordinator']);
  await tokensFor(home, 'runtime', ['execution-claimant', 'catalog', 'operator']);
  const platformFile = join(home.dir, 'platform.json');
  await writeFile(platformFile, JSON.stringify(platform()));
  const served = await bootOn(runtime, schema, home);
  const authority = await bootOn(catalog, schema, home, { CONNECTOR_RUNTIME_URL: served.url, CONNECTOR_PLATFORM_FILE: platformFile });
  services = [authority, served];
  local = callsTo(authority, 'local');
});
beforeEach(async () => {
  await schema.reset();
  release = await (await publicationWorld(schema)).release();
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await schema.close();
  await home.remove();
});

const body = (over: object = {}) => ({
  app_id: APP,
  app_release_digest: release.releaseDigest,
  dependencies: [],
  grants: [{ workload_id: WORKLOAD, capabilities: ['runtime.records.write.v1'] }],
  handler_bindings: [{ capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE }],
  ...over,
});
interface Opened {
  readonly kind: string;
  readonly installation: string;
  readonly end: { readonly kind: string; readonly lineage: { readonly lineage_id: string; readonly catalog_revision: string } };
}
let keys = 0;
const install = (over: object = {}, key = `key-${(keys += 1)}`) => local.post(PLACE, body(over), key);

describe('installing over HTTP, with Runtime security behind it', () => {
  it('201: the App is ACTIVE under the security epoch that Runtime took, and everything of it is read at once (cat:INST-03, cat:OWN-06)', async () => {
    const { status, body: answer } = await install();
    expect([status, answer['kind']]).toEqual([201, 'opened']);
    const { installation, end } = answer as unknown as Opened;
    expect(end).toMatchObject({ kind: 'published', lineage: { catalog_revision: '1', activation_epoch: '1' } });
    const { body: aggregate } = await local.get(`${PLACE}/${installation}`);
    expect(aggregate).toMatchObject({
      app_id: APP,
      state: 'ACTIVE',
      active_release_digest: release.releaseDigest,
      candidate_release_digest: null,
      tuple: {
        dependencies: [],
        grants: [{ workload_id: WORKLOAD, capabilities: ['runtime.records.write.v1'] }],
        namespaces: [],
        schema_generation: '7',
      },
      bindings: [
        {
          capability_id: `${APP}.work.v1`,
          handler_ref: `${APP}.handler.work.v1`,
          workload_id: WORKLOAD,
          artifact_digest: SERVICE_RELEASE,
          state: 'ACTIVE',
          ownership_epoch: '1',
        },
      ],
      activation_epoch: '1',
      security_epoch: '1',
      catalog_revision: '1',
    });
    const { body: journal } = await local.get(`${PLACE}/${installation}/journal`);
    const steps = (journal['entries'] as { step: string }[]).map(({ step }) => step);
    expect(steps).toEqual(['opened', 'compiled', 'acknowledged', 'published']);
    expect(await countOf(schema, 'sec_projection')).toBe(1);
  });

  it('200: the same request again is the same installation, and another body under its key is refused (decisions 12.7)', async () => {
    const first = (await install({}, 'one-key')).body as unknown as Opened;
    const again = await install({}, 'one-key');
    expect([again.status, (again.body as unknown as Opened).installation]).toEqual([201, first.installation]);
    expect((await install({ grants: [] }, 'one-key')).status).toBe(400);
    expect(await countOf(schema, 'cat_installation')).toBe(1);
  });

  it('422: every failed check with its code and pointer, and the journal tells the same of the attempt', async () => {
    const grants = [{ workload_id: 'dev.nobody', capabilities: ['runtime.other.v1'] }];
    const { status, body: problem } = await install({ grants, handler_bindings: [] });
    const errors = problem['errors'] as { readonly pointer: string; readonly code: string; readonly rule: string }[];
    expect([status, problem['code']]).toEqual([422, 'HOUSE:catalog:PreparationRefused']);
    expect(errors.map(({ rule, code, pointer }) => [rule, code, pointer]).sort()).toEqual([
      ['PREP-08', 'WORKLOAD_UNKNOWN', '/grants/0/workload_id'],
      ['PREP-09', 'GRANT_EXCESS', '/grants/0/capabilities/0'],
      ['PREP-10', 'HANDLER_BINDING_MISSING', '/handler_bindings'],
    ]);
    const [row] = await schema.sql('SELECT app_installation_id FROM cat_publication_step');
    const place = `${PLACE}/${String(row?.['app_installation_id'])}`;
    const { body: journal } = await local.get(`${place}/journal`);
    expect(journal['entries']).toMatchObject([{ attempt: '1', step: 'refused', entry: { faults: [{}, {}, {}] } }]);
    expect((await local.get(place)).status).toBe(404);
    expect([await countOf(schema, 'cat_installation'), await countOf(schema, 'sec_projection')]).toEqual([0, 0]);
  });

  it('400: an id that a caller supplies is no member of the body (cat:ID-14); 404: a release that nobody registered', async () => {
    expect((await install({ app_installation_id: '018f3c2a-0001-7000-8000-000000000009' })).status).toBe(400);
    expect(await install({ app_id: 'dev.example.nobody' })).toMatchObject({ status: 404, body: { kind: 'release-absent' } });
    expect((await local.post(PLACE, body())).status).toBe(400);
  });

  it('409: the App is installed already, and the answer names the installation', async () => {
    const { installation } = (await install()).body as unknown as Opened;
    expect(await install()).toMatchObject({ status: 409, body: { kind: 'live-installation-exists', installation } });
  });

  it('200: a service moves alone: staged, activated under the epoch that was seen, the one before drained, retired (cat:BIND-19, cat:BIND-15, cat:OWN-10)', async () => {
    const { installation } = (await install()).body as unknown as Opened;
    const place = `${PLACE}/${installation}/handler-bindings`;
    const first = ((await local.get(`${PLACE}/${installation}`)).body['bindings'] as { binding_id: string }[])[0]?.binding_id;
    const wanted = { capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, artifact_digest: SERVICE_RELEASE };
    const staged = await local.post(place, wanted, 'stage');
    expect(staged.status).toBe(201);
    const binding = `${place}/${String(staged.body['binding_id'])}`;
    const stale = await local.post(`${binding}/activate`, { expected_ownership_epoch: '0' }, 'stale');
    expect(stale).toMatchObject({ status: 409, body: { kind: 'ownership-epoch-stale', ownership_epoch: '1' } });
    const activated = await local.post(`${binding}/activate`, { expected_ownership_epoch: '1' }, 'activate');
    expect(activated).toMatchObject({ status: 200, body: { ownership_epoch: '2', catalog_revision: '2' } });
    const reference = { reference_id: 'route-1', kind: 'route' };
    expect((await local.post(`${place}/${first}/references`, reference, 'refer')).status).toBe(201);
    expect(await local.post(`${place}/${first}/retire`, {}, 'early')).toMatchObject({ status: 409, body: { references: ['route-1'] } });
    expect((await local.post(`${place}/${first}/references/route-1/close`, {}, 'close')).status).toBe(200);
    expect((await local.post(`${place}/${first}/retire`, {}, 'retire')).status).toBe(200);
    const other = await local.post(place, { ...wanted, capability_id: 'dev.x.y.v1' }, 'other');
    expect([other.status, (other.body['errors'] as { code: string }[])[0]?.code]).toEqual([422, 'CAPABILITY_UNDECLARED']);
  });

  it('no address in anything that is stored of an installation (cat:BIND-17, cat:OWN-11, cat:BIND-16, cat:REJ-08, cat:FAIL-06)', async () => {
    await install();
    const tables = (await schema.sql('SHOW TABLES')).map((row) => String(Object.values(row)[0])).filter((name) => /^(cat|sec)_/.test(name));
    expect(tables.length).toBeGreaterThan(30);
    for (const table of tables) {
      const rows = JSON.stringify((await schema.sql(`SELECT * FROM ${table}`)).map((row) => Object.values(row).map(String)));
      expect([table, rows.includes('://')]).toEqual([table, false]);
    }
  });
});
