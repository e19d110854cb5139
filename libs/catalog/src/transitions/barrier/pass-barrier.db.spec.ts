import type { Door } from '@connector/kernel/paths';
import { AttemptId } from '@connector/kernel/ids';
import { retrying } from '@connector/platform/db/retrying';
import { MAIN_AREAS } from '@connector/schema/tables';
import { CASES } from '@connector/testing/commits/cases/all-cases';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { BarrierSite } from '@connector/testing/fixtures/barrier-site';
import { catalogDoors } from '../../model/paths';
import { setMembership } from '../set-membership.tx';

const BARRIER = 'cat_publication_barrier';
const DOORS: readonly Door[] = Object.values(catalogDoors);
/** What an organization has of installations: what its views are made of, and what a publication would make. */
const SCOPED = new Set([...(MAIN_AREAS['installations'] ?? []), ...(MAIN_AREAS['membership'] ?? [])].map(({ name }) => name));
const authors = ({ steps }: Door): boolean =>
  steps.some(({ verb, table }) => (verb === 'insert' || verb === 'update') && table !== BARRIER && SCOPED.has(table));
const passes = ({ names }: Door): boolean => names.has(`lock ${BARRIER}`);

/** They record what others did or decided; no view and no publication is other for them. */
const PAST = ['record-compiled', 'record-acknowledged', 'open-binding-reference', 'close-binding-reference', 'decide-retention'];

let schema: TestSchema;
const attemptId = AttemptId.mint();

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const hold = () =>
  schema.sql(`UPDATE ${BARRIER} SET state = 'held', barrier_fence = 1, holder_fence = 1, attempt_id = ?, receipt = '{}'`, [
    AttemptId.bytes(attemptId),
  ]);
const open = () => schema.sql(`UPDATE ${BARRIER} SET state = 'open', attempt_id = NULL, receipt = NULL`);
async function rows(): Promise<string> {
  const found = [];
  for (const name of [...SCOPED, 'cat_request', 'cat_audit']) if (name !== BARRIER) found.push(await schema.sql(`SELECT * FROM ${name}`));
  return JSON.stringify(found);
}

describe('pass-barrier', () => {
  it('every: cat:INT-16 a door that writes what views and publications are made of passes the barrier before it locks anything behind it', () => {
    expect(
      DOORS.filter((door) => authors(door) && !passes(door))
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...PAST].sort());
    for (const door of DOORS.filter(passes)) {
      const locks = door.steps.filter(({ verb }) => verb === 'lock').map(({ table }) => table);
      expect(locks.filter((table) => !['cat_publisher', 'cat_app_ownership'].includes(table))[0]).toBe(BARRIER);
    }
  });

  const writers = DOORS.filter((door) => authors(door) && passes(door)).map(({ name }) => name);
  // Its first installation has no barrier yet: nobody can have named it.
  const ways = CASES.filter(({ door, way }) => writers.includes(door) && (door !== 'open-publication' || way === 'an upgrade'));

  it('tried: every writer', () => {
    expect([...new Set(ways.map(({ door }) => door))].sort()).toEqual([...writers].sort());
  });

  it.each(ways.map((one) => [one.way === undefined ? one.door : `${one.door}, ${one.way}`, one] as const))(
    'barrier-held: cat:INT-16 %s writes nothing while an activation holds it, and goes on when it is open',
    async (_name, one) => {
      const act = await one.arrange({ main: schema, journal: schema });
      await hold();
      const before = await rows();
      await act.run(schema.db, retrying);
      expect(await rows()).toBe(before);
      await open();
      await act.run(schema.db, retrying);
      expect(await rows()).not.toBe(before);
    },
  );

  it('barrier-held: cat:INT-16 the answer says which attempt holds it; another installation goes on', async () => {
    const [site, other] = [await BarrierSite.open(schema, 'one'), await BarrierSite.open(schema, 'two')];
    await site.acquire(1);
    expect(await setMembership(schema.db, site.wants())).toEqual({ kind: 'barrier-held', attemptId: site.attemptId });
    expect(await setMembership(schema.db, other.wants())).toMatchObject({ kind: 'set' });
    await site.release(1);
    expect(await setMembership(schema.db, site.wants())).toMatchObject({ kind: 'set' });
  });
});
