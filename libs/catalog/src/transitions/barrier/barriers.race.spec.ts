import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { BarrierSite } from '@connector/testing/fixtures/barrier-site';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { setMembership } from '../set-membership.tx';

let schema: TestSchema;
let site: BarrierSite;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  site = await BarrierSite.open(schema);
});
afterAll(() => schema.close());

type Act = (db: Db) => Promise<{ readonly kind: string }>;
const acquire =
  (fence: number): Act =>
  (db) =>
    site.acquire(fence, {}, db);
const release =
  (fence: number): Act =>
  (db) =>
    site.release(fence, {}, db);
const want: Act = (db) => setMembership(db, site.wants());

/** The first stands before its COMMIT until the other one waits for the barrier. */
async function inOrder(door: string, first: Act, second: Act): Promise<readonly string[]> {
  const signals = new Signals();
  const stop = signals.stopAt(`${door}/commit`);
  const one = first(schema.another(signals.hook));
  await stop.reached;
  const two = second(schema.another());
  await somebodyWaitsAt(schema, 'lock cat_publication_barrier').finally(stop.release);
  return (await Promise.all([one, two])).map(({ kind }) => kind);
}

describe('acquire-barrier › race: acquire | author', () => {
  it('barrier-held: cat:INT-16 the activation comes first, and the author waits for its commit and is refused', async () => {
    expect(await inOrder('acquire-barrier', acquire(1), want)).toEqual(['held', 'barrier-held']);
  });

  it('drift: cat:INT-16 the author comes first, and the activation waits for it and finds another view', async () => {
    expect(await inOrder('set-membership', want, acquire(1))).toEqual(['set', 'drift']);
  });
});

describe('acquire-barrier › race: a successor and its predecessor', () => {
  it('stale-holder: cat:INT-17 cat:INT-18 whoever is behind in fences is behind in the end, whichever comes first', async () => {
    expect(await inOrder('acquire-barrier', acquire(2), acquire(1))).toEqual(['held', 'stale-holder']);
    expect(await inOrder('acquire-barrier', acquire(3), release(2))).toEqual(['held', 'stale']);
  });

  it('released: cat:INT-17 a release that is on its way comes before an author or holds it off no more', async () => {
    await site.acquire(1);
    expect(await inOrder('release-barrier', release(1), want)).toEqual(['released', 'set']);
  });
});
