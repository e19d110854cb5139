import type { Table } from '@connector/kernel/table';
import { catCandidate, catInstallation, catLineage, catNamespaceClaim, catPublicationStep } from '@connector/schema/catalog/installations';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { copied } from '@connector/testing/fixtures/copied';
import { Life } from '@connector/testing/fixtures/life';
import { APP, OTHER_APP, publicationWorld } from '@connector/testing/fixtures/publication';
import { catalogDoors } from '../model/paths';
import { readOrganization } from '../transitions/installation/organization';
import { readSeenOrganization } from './organization';
import { readCatalogRevision, readEnd, readFrozen, readOpenPublication, readStepsDone } from './publication';

const ORG = 'org-1';
let schema: TestSchema;
let life: Life;
let other: Life;
/** What serves, by App. */
const releases: Record<string, string> = {};

beforeAll(async () => {
  schema = await mainSchema();
  await schema.reset();
  const world = await publicationWorld(schema);
  const upgraded = async (app: string): Promise<Life> => {
    const owning = (version: string) =>
      world.release((draft) => void (draft.manifest['owned_namespaces'] = [`${app}.records`]), app, version);
    const [one, two] = [await owning('1.0.0'), await owning('2.0.0')];
    const lives = await Life.active(schema, world, one, ORG);
    await (await lives.opened('upgrade', two)).toEnd();
    releases[app] = two.releaseDigest;
    return lives;
  };
  [life, other] = [await upgraded(APP), await upgraded(OTHER_APP)];
  await neighbours();
});
afterAll(() => schema.close());

/** The same of other organizations, and further attempts of other installations, before and behind in every order. */
async function neighbours(): Promise<void> {
  const ours = `organization_id = '${ORG}'`;
  const copy = (table: unknown, over: Record<string, string>, where = ours) => copied(schema, table as Table, over, where);
  const other = { command_id: 'UNHEX(MD5(UUID()))', kind: "'rollback'", entry: "'{}'" };
  for (const name of ["'0'", "'z'"]) {
    const theirs = { organization_id: name, catalog_revision: 'catalog_revision + 50', open_attempt: '7', open_installation_id: name };
    await copy(catLineage, theirs);
    await copy(catInstallation, { organization_id: name, live_app_id: "CONCAT('x.', live_app_id)" });
    await copy(catNamespaceClaim, {
      organization_id: name,
      namespace_id: "CONCAT('x.', namespace_id)",
      open_namespace_id: "CONCAT('x.', namespace_id)",
    });
    for (const table of [catCandidate, catPublicationStep]) {
      await copy(table, { ...other, organization_id: name });
      await copy(table, { ...other, app_installation_id: name }, `${ours} AND app_installation_id = '${life.installation}'`);
    }
  }
}

const byApp = <T extends { readonly appId: string }>(rows: readonly T[]): readonly T[] =>
  rows.toSorted((left, right) => (left.appId < right.appId ? 1 : -1));

describe('an organization, beside others', () => {
  const live = () => [
    { installation: life.installation, appId: APP },
    { installation: other.installation, appId: OTHER_APP },
  ];

  it('seen: cat:INST-11 what lives in it with the release that is ACTIVE, each once, and what that claims', async () => {
    const seen = await readSeenOrganization(schema.db, ORG);
    expect(byApp(seen.live)).toEqual(live());
    expect(byApp(seen.active).map(({ appId, appReleaseDigest }) => [appId, appReleaseDigest])).toEqual(
      [APP, OTHER_APP].map((app) => [app, releases[app]]),
    );
    expect(seen.claims.map(({ namespaceId, installation }) => [namespaceId, installation]).toSorted()).toEqual(
      live()
        .map(({ installation, appId }) => [`${appId}.records`, installation])
        .toSorted(),
    );
  });

  it('held: the same under the lineage, with the candidate that serves', async () => {
    const held = await schema.db.fenced(catalogDoors['open-removal'], (tx) => readOrganization(tx, ORG));
    expect(byApp(held.live)).toEqual(live().map((one) => ({ ...one, state: 'ACTIVE' })));
    const serving = held.serving.map(({ installation, appReleaseDigest, candidate }) => [
      installation,
      appReleaseDigest,
      candidate.attempt,
    ]);
    expect(serving.toSorted()).toEqual(
      live()
        .map(({ installation, appId }) => [installation, releases[appId], '2'])
        .toSorted(),
    );
    expect(held.claims).toHaveLength(2);
  });

  it.each([
    [1n, 'install', 1n],
    [2n, 'upgrade', 2n],
  ])('found: cat:PUBL-09 of attempt %s what it froze, its steps and its end', async (attempt, kind, activationEpoch) => {
    const at = { organization: ORG, installation: life.installation, attempt };
    expect(await readFrozen(schema.db, at)).toMatchObject({ kind });
    expect(await readEnd(schema.db, at)).toMatchObject({ kind: 'published', lineage: { activationEpoch } });
    expect(await readStepsDone(schema.db, at)).toHaveLength(4);
    const past = { ...at, attempt: 3n };
    expect([await readFrozen(schema.db, past), await readEnd(schema.db, past), await readStepsDone(schema.db, past)]).toEqual([
      ...[undefined, undefined, []],
    ]);
  });

  it('found: its own revision and its own open publication', async () => {
    expect([await readCatalogRevision(schema.db, ORG), await readOpenPublication(schema.db, ORG)]).toEqual([4n, undefined]);
    expect([await readCatalogRevision(schema.db, 'org-9'), await readOpenPublication(schema.db, 'z')]).toEqual([
      ...[0n, { installation: 'z', attempt: 7n }],
    ]);
  });
});
