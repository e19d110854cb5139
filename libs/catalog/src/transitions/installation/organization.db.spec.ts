import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import { askedFor, OTHER_APP, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { rowsOf } from '@connector/testing/fixtures/registry';

const ORG = 'org-1';
const NAMES = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
const TABLES = ['cat_installation', 'cat_candidate', 'cat_lineage', 'cat_namespace_claim', 'cat_request'] as const;
const FULL = { code: 'HOUSE:catalog:OrganizationFull' };
let schema: TestSchema;
let world: PublicationWorld;
let life: Life;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  world = await publicationWorld(schema);
  life = await Life.active(schema, world, await world.release(), ORG);
});
afterAll(() => schema.close());

/** Further live installations, which never served. */
async function live(count: number): Promise<void> {
  const own: Readonly<Record<string, string>> = {
    app_installation_id: `CONCAT('x', i)`,
    live_app_id: `CONCAT('x.', i)`,
    state: `'FAILED'`,
  };
  const columns = (await schema.sql('SHOW COLUMNS FROM cat_installation')).map((row) => String(row['Field']));
  const chosen = columns.map((column) => own[column] ?? (column.startsWith('active_') ? 'NULL' : column));
  await schema.sql(`INSERT INTO cat_installation (${columns.join(', ')}) ${NAMES} SELECT ${chosen.join(', ')} FROM n, cat_installation`, [
    count,
  ]);
}

/** Open claims of somebody else. */
async function claimed(count: number): Promise<void> {
  const values = Array.from({ length: count }, (_, at) => `('${ORG}', 'x.n${at}', 'x', 1, 'x.n${at}')`);
  const columns = 'organization_id, namespace_id, app_installation_id, attempt, open_namespace_id';
  await schema.sql(`INSERT INTO cat_namespace_claim (${columns}) VALUES ${values.join(', ')}`);
}

const owning = (...namespaces: readonly string[]) =>
  world.release((draft) => void (draft.manifest['owned_namespaces'] = namespaces), OTHER_APP, `1.${namespaces.length}.0`);
const upgrades = async () => (await life.opened('upgrade', await world.release(undefined, undefined, '2.0.0'))).toEnd();

describe('a full organization', () => {
  async function refused(...namespaces: readonly string[]): Promise<void> {
    const release = await owning(...namespaces);
    const before = await rowsOf(schema, ...TABLES);
    await expect(world.install(ORG, askedFor(release))).rejects.toMatchObject(FULL);
    expect(await rowsOf(schema, ...TABLES)).toBe(before);
  }

  it('refused: after 1,000 live installations none begins, and those that live go on', async () => {
    await live(999);
    await refused();
    await upgrades();
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', epoch: 2n });
  });

  it('refused: a candidate with which more than 10,000 namespaces were claimed; one that fits is published', async () => {
    await claimed(9_999);
    await refused('dev.example.a', 'dev.example.b');
    expect(await world.install(ORG, askedFor(await owning('dev.example.a')))).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
    await upgrades();
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', epoch: 2n });
  });
});
