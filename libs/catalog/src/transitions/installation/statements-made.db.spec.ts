import type { StepPoint } from '@connector/platform/db/step-hook';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { APP, OTHER_APP, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { Life } from '@connector/testing/fixtures/life';
import { ORG } from '@connector/testing/fixtures/publication-steps';

const AROUND: ReadonlySet<string> = new Set(['begin', 'commit', 'committed', 'rolled-back']);
let schema: TestSchema;
let world: PublicationWorld;
let made: StepPoint[];

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  made = [];
  schema = { ...schema, db: schema.another((at) => void made.push(at)) };
  world = await publicationWorld(schema);
});
afterAll(() => schema.close());

/** How many statements the two large doors of a publication made since the last look. */
function counted() {
  const of = (door: string) => made.filter((at) => at.door === door && !AROUND.has(at.step)).length;
  const counts = { open: of('open-publication'), publish: of('publish') };
  made = [];
  return counts;
}

/** What docs/decisions/0016 says; the figures of the rows in model/paths.ts are upper bounds, since no run makes all of them. */
describe('statements of a publication', () => {
  it('counted: a first installation, one more in the organization, an upgrade and a rollback', async () => {
    const [one, two] = [await world.release(), await world.release(undefined, APP, '2.0.0')];
    const other = await world.release(undefined, OTHER_APP);
    const life = await Life.active(schema, world, one);
    const first = counted();
    await Life.active(schema, world, other);
    const further = counted();
    await (await life.opened('upgrade', two)).toEnd();
    const upgrade = counted();
    await (await life.opened('rollback', one)).toEnd();
    expect({ first, further, upgrade, rollback: counted() }).toEqual({
      first: { open: 22, publish: 20 },
      further: { open: 19, publish: 20 },
      upgrade: { open: 19, publish: 21 },
      rollback: { open: 20, publish: 21 },
    });
  });

  it('counted: as many where a release claims four namespaces as where it claims one', async () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `${APP}.${name}`);
    const wide = await world.release((draft) => {
      draft.manifest['owned_namespaces'] = names;
    });
    const narrow = await world.release((draft) => {
      draft.manifest['owned_namespaces'] = names.slice(0, 1);
    }, OTHER_APP);
    await Life.active(schema, world, wide, ORG);
    const many = counted();
    await Life.active(schema, world, narrow, 'org-2');
    expect(counted()).toEqual(many);
  });
});
