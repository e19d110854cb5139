import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { askedFor, emptyInstallations, PUBLISHER, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { ORG, otherBinding, Publication } from '@connector/testing/fixtures/publication-steps';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import type { OpenAttempt } from '../../model/installation/attempt';
import { tupleDocument } from '../../model/installation/tuple';
import type { AppRelease } from '../../model/release';
import { failPublication } from './fail-publication.tx';
import { openPublication } from './open-publication.tx';
import { publish } from './publish.tx';
import { recordAcknowledged } from './record-acknowledged.tx';
import { recordCompiled } from './record-compiled.tx';

let schema: TestSchema;
let signer: Signer;
let world: PublicationWorld;
let app: AppRelease;
let open: OpenAttempt;
let run: Publication;

beforeAll(async () => {
  schema = await mainSchema();
  signer = await trustedPublisher(schema.db, PUBLISHER);
});
beforeEach(begin);
afterAll(() => schema.close());

async function begin(): Promise<void> {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer });
  app = await world.release();
  open = await world.opened(ORG, askedFor(app));
  run = new Publication(schema.db, world, open);
}

type Act = (db: Db) => Promise<{ readonly kind: string }>;

/** Both pass the barrier of the installation, and meet there. */
const BARRIER = 'lock cat_publication_barrier';

/** The first holds what it has at its COMMIT until the second waits for it; the answers by their kinds. */
async function inOrder(first: Act, second: Act, at = 'lock cat_lineage'): Promise<readonly string[]> {
  const signals = new Signals();
  const doors = ['open-publication', 'record-compiled', 'record-acknowledged', 'publish', 'fail-publication'];
  const stops = doors.map((name) => signals.stopAt(`${name}/commit`));
  const one = first(schema.another(signals.hook));
  await Promise.race(stops.map(({ reached }) => reached));
  const two = second(schema.another());
  await somebodyWaitsAt(schema, at).finally(() => stops.forEach(({ release }) => release()));
  return (await Promise.all([one, two])).map(({ kind }) => kind);
}

const journaled = async (step: string) =>
  (await schema.sql('SELECT HEX(entry) AS entry FROM cat_publication_step WHERE step = ?', [Buffer.from(step)])).map((row) => row['entry']);
const fails: Act = (db) => failPublication(db, { ...open, code: 'ABANDONED', detail: 'test', by: 'test' });
const publishes: Act = (db) => publish(db, { ...open, schemaGeneration: '7' });

describe('a publication › race: what two say differently of one step', () => {
  it('other-projections: cat:PUBL-12 of two compilers the first is in the journal, and the other one overwrites nothing', async () => {
    const made = await run.projections();
    const { value } = tupleDocument.parse(made.tuple.bytes);
    const lie = { ...made, tuple: tupleDocument.build({ ...value, schema_generation: '8' }) };
    const compiles =
      (said: typeof made): Act =>
      (db) =>
        recordCompiled(db, { ...open, ...said });
    expect(await inOrder(compiles(made), compiles(lie))).toEqual(['recorded', 'other-projections']);
    const [honest] = await journaled('compiled');
    await begin();
    expect(await inOrder(compiles(lie), compiles(made))).toEqual(['recorded', 'other-projections']);
    expect(await journaled('compiled')).not.toContain(honest);
    await run.acknowledge(await run.send());
    expect(await run.publish()).toEqual({ kind: 'disagrees', with: 'tuple' });
  });

  it('other-binding: cat:PUBL-12 of two bindings of one command the first is in the journal, and the other one overwrites nothing', async () => {
    await run.compile();
    const bound = await run.send();
    const acknowledges =
      (said: typeof bound): Act =>
      (db) =>
        recordAcknowledged(db, { ...open, bound: said });
    expect(await inOrder(acknowledges(bound), acknowledges(otherBinding(bound)))).toEqual(['recorded', 'other-binding']);
    const standing = await journaled('acknowledged');
    expect(standing).toHaveLength(1);
    expect(await inOrder(publishes, acknowledges(otherBinding(bound)))).toEqual(['published', 'not-open']);
    expect(await journaled('acknowledged')).toEqual(standing);
  });
});

describe('a publication › race: its end', () => {
  it('not-open: cat:PUBL-12 cat:PUBL-07 whoever ends it first has ended it: published stays published, and failed stays failed', async () => {
    await run.toPublish();
    expect(await inOrder(publishes, fails, BARRIER)).toEqual(['published', 'not-open']);
    expect([await countOf(schema, 'cat_revision'), await journaled('failed')]).toEqual([1, []]);
    await begin();
    await run.toPublish();
    expect(await inOrder(fails, publishes, BARRIER)).toEqual(['failed', 'not-open']);
    expect([await countOf(schema, 'cat_revision'), await journaled('published')]).toEqual([0, []]);
  });

  it('already-published: cat:PUBL-12 cat:PUBL-07 of two activators one takes the revision', async () => {
    await run.toPublish();
    expect(await inOrder(publishes, publishes, BARRIER)).toEqual(['published', 'already-published']);
    expect(await countOf(schema, 'cat_revision')).toBe(1);
  });

  it('not-open: cat:PUBL-12 a step that comes after the end journals nothing', async () => {
    const made = await run.projections();
    expect(await inOrder(fails, (db) => recordCompiled(db, { ...open, ...made }))).toEqual(['failed', 'not-open']);
    expect(await journaled('compiled')).toEqual([]);
  });
});

describe('a publication › race: a new preparation', () => {
  it('revision-moved, publication-open: cat:PUBL-12 it is prepared against what is published, or after what is open', async () => {
    const other = await world.release(undefined, 'dev.example.other');
    await run.toPublish();
    const input = await world.input(ORG, askedFor(other));
    const prepares: Act = (db) => openPublication(db, input, asking());
    expect(await inOrder(publishes, prepares)).toEqual(['published', 'revision-moved']);
    await begin();
    await fails(schema.db);
    const [one, two] = [
      await world.input(ORG, askedFor(other)),
      await world.input(ORG, askedFor(await world.release(undefined, 'dev.example.third'))),
    ];
    const opens =
      (what: typeof one): Act =>
      (db) =>
        openPublication(db, what, asking());
    expect(await inOrder(opens(one), opens(two), 'lock cat_publisher')).toEqual(['opened', 'publication-open']);
    expect(await countOf(schema, 'cat_candidate')).toBe(2);
  });
});
