import type { Db } from '@connector/platform/db/db';
import { MAIN_AREAS } from '@connector/schema/tables';
import { type Content, differences, withoutMinted } from '@connector/testing/commits/content';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import { APP, askedFor, emptyInstallations, PUBLISHER, publicationWorld } from '@connector/testing/fixtures/publication';
import { type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { continuePublication } from './continue-publication';

let schema: TestSchema;
let signer: Signer;
let watched: Db;
/** What the watched process does before it comes to a point; it may die there. */
let at: (point: string) => void;

beforeAll(async () => {
  schema = await mainSchema();
  signer = await trustedPublisher(schema.db, PUBLISHER);
  watched = schema.another(({ point }) => Promise.resolve(at(point)));
});
afterAll(() => schema.close());

/** An upgrade that claims a namespace, acknowledged under a schema of which there is another generation now. */
async function acknowledged() {
  await emptyInstallations(schema);
  at = () => undefined;
  const world = await publicationWorld(schema, { signer });
  const life = await Life.active(schema, world, await world.release());
  const next = await world.release((draft) => (draft.manifest['owned_namespaces'] = [`${APP}.claimed`]), APP, '2.0.0');
  const run = life.at(await life.open('upgrade', askedFor(next)));
  await run.toPublish();
  const moved = { ready: () => Promise.resolve({ kind: 'ready', schemaGeneration: '8' } as const) };
  return (db: Db) => continuePublication({ ...world.parts, db, schema: moved }, run.at);
}

async function contentNow(): Promise<readonly string[]> {
  const rows = new Map<string, Record<string, unknown>[]>();
  for (const { name } of MAIN_AREAS['installations'] ?? []) rows.set(name, await schema.sql(`SELECT * FROM ${name}`));
  return withoutMinted(rows as Content);
}

describe('a publication whose schema moved', () => {
  it('failed: cat:INST-13 cat:PUBL-11 died before every statement and every commit and after each, and gone on with, it ends as undisturbed', async () => {
    const points: string[] = [];
    const first = await acknowledged();
    at = (point) => void points.push(point);
    expect(await first(watched)).toEqual({ kind: 'failed', code: 'SCHEMA_GENERATION_MOVED' });
    const wanted = await contentNow();
    const taken = ['update cat_namespace_claim#close', 'read cat_installation#live', 'read cat_candidate#active', 'insert cat_candidate'];
    const through = [...taken, 'update cat_lineage#open', 'committed'].map((step) => `fail-publication/${step}`);
    expect(points).toEqual(expect.arrayContaining([...through, 'finish-abandonment/committed']));
    const wrong: string[] = [];
    for (const [dying, point] of points.entries()) {
      const goesOn = await acknowledged();
      let met = 0;
      at = () => {
        if (met++ === dying) throw new Error('died');
      };
      const cut = await goesOn(watched).then(
        () => 'lived',
        () => 'died',
      );
      const { kind } = await goesOn(schema.db);
      const unlike = differences(wanted, await contentNow());
      if (cut !== 'died' || kind !== 'failed' || unlike.length > 0) wrong.push(`${dying} ${point}: ${cut}, ${kind}, ${unlike.join('; ')}`);
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});
