import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppRelease } from '@connector/catalog/model/release';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { differences, withoutMinted } from '@connector/testing/commits/content';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { APP, emptyInstallations, platform, publicationWorld, SERVICE_RELEASE, WORKLOAD } from '@connector/testing/fixtures/publication';
import { bootOn, settingsOn, testHome, type TestHome } from '@connector/testing/service';
import { until, when } from '@connector/testing/system/until';
import { CatalogProcess } from './catalog-process';

const ORG = '018f3c2a-0001-7000-8000-000000000001';
const PLACE = `/v1/orgs/${ORG}/app-installations`;
/** What a publication writes, at Catalog and at Runtime security. */
const TABLES = [
  ...['cat_lineage', 'cat_revision', 'cat_installation_identity', 'cat_installation', 'cat_candidate', 'cat_publication_step'],
  ...['cat_namespace_claim', 'cat_binding', 'cat_binding_state', 'cat_ownership_head', 'cat_view_current', 'cat_integration_view'],
  ...['sec_head', 'sec_projection', 'sec_command'],
];

let schema: TestSchema;
let home: TestHome;
let served: RunningService;
let other: RunningService;
let env: NodeJS.ProcessEnv;
let release: AppRelease;
let undisturbed: readonly string[];

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'catalog', ['local', 'operator', 'cutover-coordinator']);
  await tokensFor(home, 'runtime', ['execution-claimant', 'catalog', 'operator']);
  const platformFile = join(home.dir, 'platform.json');
  await writeFile(platformFile, JSON.stringify(platform()));
  served = await bootOn(runtime, schema, home);
  // Its own loop looks once a minute: what a dead process left is gone on with when a test says so.
  const told = { CONNECTOR_RUNTIME_URL: served.url, CONNECTOR_PLATFORM_FILE: platformFile, CONNECTOR_POLL_MS: '60000' };
  env = { ...(await settingsOn(schema, home)), ...told };
  other = await bootOn(catalog, schema, home, told);
  release = await (await publicationWorld(schema)).release();
  await install(callsTo(other, 'local'), 'first');
  undisturbed = await content();
}, 60_000);
afterAll(async () => {
  await other.stop();
  await served.stop();
  await schema.close();
  await home.remove();
});
beforeEach(async () => {
  await emptyInstallations(schema);
  for (const table of ['sec_head', 'sec_projection', 'sec_command', 'cat_request']) await schema.sql(`DELETE FROM ${table}`);
});

const install = (calls: Calls, key: string) =>
  calls.post(
    PLACE,
    {
      app_id: APP,
      app_release_digest: release.releaseDigest,
      dependencies: [],
      grants: [{ workload_id: WORKLOAD, capabilities: ['runtime.records.write.v1'] }],
      handler_bindings: [{ capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE }],
    },
    key,
  );

/** The rows without what is minted (decisions 13.14). */
async function content(): Promise<readonly string[]> {
  const rows = await Promise.all(TABLES.map(async (table) => [table, await schema.sql(`SELECT * FROM ${table}`)] as const));
  return withoutMinted(new Map(rows));
}

async function dies(crash: string): Promise<void> {
  const doomed = await CatalogProcess.start(env, crash);
  await expect(install(callsTo({ url: doomed.url, name: 'catalog' }, 'local'), 'first')).rejects.toThrow();
  expect(await doomed.ended).toBe('SIGKILL');
}

const resumed = async (): Promise<unknown> => {
  const [row] = await schema.sql('SELECT app_installation_id, state FROM cat_installation');
  const expected = { expected_state: String(row?.['state']), expected_activation_epoch: '0' };
  const answer = await callsTo(other, 'local').post(`${PLACE}/${String(row?.['app_installation_id'])}/resume`, expected, 'again');
  return (answer.body['end'] as { readonly kind?: unknown } | undefined)?.kind;
};

describe('a publication whose process is killed with kill -9, and which another process takes to its end', () => {
  it.each(['open-publication/lock cat_lineage', 'open-publication/commit'])(
    'nothing: cat:PUBL-C0 at %s there is no row, and the caller’s retry under its key starts anew',
    async (point) => {
      await dies(point);
      expect(await schema.sql('SELECT 1 FROM cat_installation')).toEqual([]);
      expect((await install(callsTo(other, 'local'), 'first')).status).toBe(201);
      expect(differences(undisturbed, await content())).toEqual([]);
    },
    30_000,
  );

  it.each([
    ['cat:PUBL-C1', 'open-publication/committed'],
    ['cat:PUBL-C1', 'record-compiled/commit'],
    ['cat:PUBL-C2', 'record-compiled/committed'],
    ['cat:PUBL-C3', 'record-acknowledged/lock cat_lineage'],
    ['cat:PUBL-C3', 'record-acknowledged/commit'],
    ['cat:PUBL-C4', 'record-acknowledged/committed'],
    ['cat:PUBL-C4', 'publish/update cat_installation#publish'],
    ['cat:PUBL-C4', 'publish/commit'],
  ])(
    'published: %s at %s the rows are those of an undisturbed run',
    async (_row, point) => {
      await dies(point);
      expect(await resumed()).toBe('published');
      expect(differences(undisturbed, await content())).toEqual([]);
    },
    30_000,
  );

  it('published: cat:PUBL-C5 after the COMMIT of step 4 the same request is answered with what stands; no second revision', async () => {
    await dies('publish/committed');
    const answer = await install(callsTo(other, 'local'), 'first');
    expect([answer.status, (answer.body['end'] as { kind: string }).kind]).toEqual([201, 'published']);
    expect(differences(undisturbed, await content())).toEqual([]);
  }, 30_000);

  it('published: cat:INST-14 cat:PUBL-09 a process that starts goes on by itself with what a dead one left', async () => {
    await dies('record-compiled/committed');
    const next = await CatalogProcess.start(env);
    const isActive = async (): Promise<boolean> =>
      String((await schema.sql('SELECT state FROM cat_installation'))[0]?.['state']) === 'ACTIVE';
    await until('the installation is ACTIVE', 20_000, async () => when(await isActive()));
    next.kill();
    expect(await next.ended).toBe('SIGKILL');
    expect(differences(undisturbed, await content())).toEqual([]);
  }, 30_000);
});
