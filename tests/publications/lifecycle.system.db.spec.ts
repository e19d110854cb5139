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
import { CatalogProcess } from './catalog-process';

const ORG = '018f3c2a-0001-7000-8000-000000000001';
const PLACE = `/v1/orgs/${ORG}/app-installations`;
/** What the life of an installation writes, at Catalog and at Runtime security. */
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
let first: AppRelease;
let second: AppRelease;

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
  const world = await publicationWorld(schema);
  [first, second] = [await world.release(), await world.release(undefined, APP, '2.0.0')];
}, 60_000);
afterAll(async () => {
  await other.stop();
  await served.stop();
  await schema.close();
  await home.remove();
});

const choices = (release: AppRelease) => ({
  app_release_digest: release.releaseDigest,
  dependencies: [],
  grants: [{ workload_id: WORKLOAD, capabilities: ['runtime.records.write.v1'] }],
  handler_bindings: [{ capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE }],
});
const SEEN = { expected_state: 'ACTIVE', expected_activation_epoch: '1' };

/** An installation that is ACTIVE with the first release, in an organization and a Runtime security that had nothing before. */
async function installed(): Promise<string> {
  await emptyInstallations(schema);
  for (const table of ['sec_head', 'sec_projection', 'sec_command', 'cat_request']) await schema.sql(`DELETE FROM ${table}`);
  const { status, body } = await callsTo(other, 'local').post(PLACE, { app_id: APP, ...choices(first) }, 'install');
  expect(status).toBe(201);
  return String(body['installation']);
}

/** The rows without what is minted (decisions 13.14). */
async function content(): Promise<readonly string[]> {
  const rows = await Promise.all(TABLES.map(async (table) => [table, await schema.sql(`SELECT * FROM ${table}`)] as const));
  return withoutMinted(new Map(rows));
}

interface Verb {
  readonly end: string;
  ask(calls: Calls, installation: string): ReturnType<Calls['post']>;
}
const UPGRADE: Verb = {
  end: 'published',
  ask: (calls, installation) => calls.post(`${PLACE}/${installation}/upgrade`, { ...choices(second), ...SEEN }, 'verb'),
};
const REMOVE: Verb = {
  end: 'removed',
  ask: (calls, installation) => calls.post(`${PLACE}/${installation}/remove`, SEEN, 'verb'),
};

const endOf = ({ body }: Awaited<ReturnType<Calls['post']>>): unknown => (body['end'] as { readonly kind?: unknown } | undefined)?.kind;

async function undisturbed(verb: Verb): Promise<readonly string[]> {
  const installation = await installed();
  expect(endOf(await verb.ask(callsTo(other, 'local'), installation))).toBe(verb.end);
  return content();
}

/** A process dies at this point of the verb; another one is asked the same again, under the same key. */
async function killedAt(verb: Verb, point: string): Promise<unknown> {
  const installation = await installed();
  const doomed = await CatalogProcess.start(env, point);
  await expect(verb.ask(callsTo({ url: doomed.url, name: 'catalog' }, 'local'), installation)).rejects.toThrow();
  expect(await doomed.ended).toBe('SIGKILL');
  return endOf(await verb.ask(callsTo(other, 'local'), installation));
}

const UPGRADE_POINTS = [
  ['cat:PUBL-C0', 'open-publication/commit'],
  ['cat:PUBL-C1', 'open-publication/committed'],
  ['cat:PUBL-C2', 'record-compiled/committed'],
  ['cat:PUBL-C3', 'record-acknowledged/commit'],
  ['cat:PUBL-C4', 'record-acknowledged/committed'],
  ['cat:PUBL-C4', 'publish/commit'],
  ['cat:PUBL-C5', 'publish/committed'],
] as const;
const REMOVE_POINTS = [
  ['cat:PUBL-C0', 'open-removal/commit'],
  ['cat:PUBL-C1', 'open-removal/committed'],
  ['cat:PUBL-C2', 'record-compiled/committed'],
  ['cat:PUBL-C3', 'record-acknowledged/commit'],
  ['cat:PUBL-C4', 'record-acknowledged/committed'],
  ['cat:PUBL-C4', 'withdraw/commit'],
  ['cat:PUBL-C5', 'withdraw/committed'],
  ['its gates', 'retire-binding/committed'],
  ['its gates', 'finish-removal/update cat_installation#finish'],
  ['its end', 'finish-removal/committed'],
] as const;

describe.each([
  ['upgrade', UPGRADE, UPGRADE_POINTS],
  ['removal', REMOVE, REMOVE_POINTS],
] as const)('%s, whose process is killed with kill -9, and which another process takes to its end', (_name, verb, points) => {
  let rows: readonly string[];
  beforeAll(async () => {
    rows = await undisturbed(verb);
  }, 30_000);

  it.each([...points])(
    'ended: %s at %s the rows are those of an undisturbed run',
    async (_row, point) => {
      expect(await killedAt(verb, point)).toBe(verb.end);
      expect(differences(rows, await content())).toEqual([]);
    },
    30_000,
  );
});
