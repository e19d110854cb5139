import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { PackBarrierSite } from '@connector/testing/fixtures/barrier-site';
import { notedPack } from '@connector/testing/fixtures/registered-pack';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { registerPack } from './register-pack.tx';

let schema: TestSchema;
let site: PackBarrierSite;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  site = await PackBarrierSite.open(schema);
});
afterAll(() => schema.close());

type Act = (db: Db) => Promise<{ readonly kind: string }>;
const acquire: Act = (db) => site.acquire(1, {}, db);
const author =
  (organization: string): Act =>
  (db) =>
    registerPack(db, { ...notedPack('2.0.0'), organization });

/** The first stands before its COMMIT until the other one waits for the barrier. */
async function inOrder(door: string, first: Act, second: Act): Promise<readonly string[]> {
  const signals = new Signals();
  const stop = signals.stopAt(`${door}/commit`);
  const one = first(schema.another(signals.hook));
  await stop.reached;
  const two = second(schema.another());
  await somebodyWaitsAt(schema, 'lock pck_publication_barrier').finally(stop.release);
  return (await Promise.all([one, two])).map(({ kind }) => kind);
}

describe('acquire-pack-barrier › race: acquire | author', () => {
  it('barrier-held: cat:INT-16 the activation comes first, and the author waits for its commit and is refused', async () => {
    expect(await inOrder('acquire-pack-barrier', acquire, author('org-1'))).toEqual(['held', 'barrier-held']);
  });

  it('held: cat:INT-16 the author comes first; what it registered is no part of what the epoch names', async () => {
    expect(await inOrder('register-pack', author('org-1'), acquire)).toEqual(['registered', 'held']);
  });

  it('registered: of two first packs of an organization the second waits for the barrier that the first brought', async () => {
    const other: Act = (db) => registerPack(db, { ...notedPack('3.0.0'), organization: 'org-2' });
    expect(await inOrder('register-pack', author('org-2'), other)).toEqual(['registered', 'registered']);
    expect(await born()).toHaveLength(1);
  });

  it('registered: whoever saw no barrier and comes second takes the one that stands by then', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('register-pack/insert pck_publication_barrier');
    const one = author('org-2')(schema.another(signals.hook));
    await stop.reached;
    expect(await registerPack(schema.db, { ...notedPack('3.0.0'), organization: 'org-2' })).toMatchObject({ kind: 'registered' });
    stop.release();
    expect(await one).toMatchObject({ kind: 'registered' });
    expect(await born()).toHaveLength(1);
  });

  it('barrier-held: cat:INT-16 whoever saw no barrier finds the one that was born and is held by then', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('register-pack/insert pck_publication_barrier');
    const one = author('org-2')(schema.another(signals.hook));
    await stop.reached;
    const other = await PackBarrierSite.open(schema, { ...notedPack(), organization: 'org-2' });
    expect(await other.acquire(1)).toMatchObject({ kind: 'held' });
    stop.release();
    expect(await one).toEqual({ kind: 'barrier-held', attemptId: other.attemptId });
  });
});

const born = () => schema.sql("SELECT 1 FROM pck_publication_barrier WHERE organization_id = 'org-2'");
