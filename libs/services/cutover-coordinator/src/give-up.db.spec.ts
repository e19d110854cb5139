import { AttemptId, OperationId } from '@connector/kernel/ids';
import type { Owners, PublicationBarrier } from '@connector/connector/contract/owners';
import type { OwnedBarrier } from '@connector/connector/model/serving/barriers';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, owners } from '@connector/testing/fixtures/demo-epoch';
import { heldAuthors } from '@connector/testing/fixtures/held-authors';
import { heldBarriers } from './barrier-hold';
import { giveUp, type GiveUp } from './give-up';

let schema: TestSchema;
let attemptId: AttemptId;
let newerRun: () => Promise<unknown>;
let seen: readonly OwnedBarrier[];

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  const { epochId } = await demoEpoch(schema);
  attemptId = await heldAuthors(schema.db, epochId);
  newerRun = () => heldAuthors(schema.db, epochId, attemptId);
  const listed = await heldBarriers(owners(schema.db), attemptId);
  seen = listed.kind === 'found' ? listed.held : [];
});
afterAll(() => schema.close());

const run = (over: Partial<GiveUp> = {}, asked: Owners = owners(schema.db)) =>
  giveUp(schema.db, asked, { operationId: OperationId.mint(), attemptId, barriers: seen, outcome: 'given up by m.ortiz', ...over });
const holderFence = async () => String((await schema.sql('SELECT holder_fence FROM con_service'))[0]?.['holder_fence']);
const states = async () =>
  (await schema.sql('SELECT state FROM cat_publication_barrier UNION ALL SELECT state FROM pck_publication_barrier'))
    .map((row) => String(row['state']))
    .join();
const changed = (owner: 'catalog' | 'packs', change: Partial<PublicationBarrier>): Owners => {
  const real = owners(schema.db);
  return { ...real, barriers: { ...real.barriers, [owner]: { ...real.barriers[owner], ...change } } };
};

describe('give up', () => {
  it('released: cat:INT-17 exactly what it was seen to hold, and its run is fenced off before the first is open', async () => {
    const before = await holderFence();
    const real = owners(schema.db).barriers.catalog;
    const at: unknown[] = [];
    const release: PublicationBarrier['release'] = async (...given) => {
      at.push(await holderFence(), await states());
      return real.release(...given);
    };
    expect(await run({}, changed('catalog', { release }))).toEqual({ kind: 'released', barriers: seen });
    expect(at).toEqual([`${BigInt(before) + 1n}`, 'held,held']);
    expect(await states()).toBe('open,open');
  });

  it.each([
    ['less', () => ({ barriers: seen.slice(0, 1) })],
    ['a hold of another fence', () => ({ barriers: seen.map((one) => ({ ...one, barrierFence: (one.barrierFence + 1n) as never })) })],
    ['what another attempt holds', () => ({ attemptId: AttemptId.mint() })],
  ])('moved: cat:INT-17 %s was seen: nothing is released, and no run is fenced off', async (_, over) => {
    const before = await holderFence();
    expect(await run(over())).toMatchObject({ kind: 'moved' });
    expect([await holderFence(), await states()]).toEqual([before, 'held,held']);
  });

  it('unavailable: cat:INT-17 between two owners; the same operation again goes on with what it began, under the fence that it has', async () => {
    const operationId = OperationId.mint();
    const silent = changed('packs', { release: () => Promise.resolve({ kind: 'unavailable' }) });
    expect(await run({ operationId }, silent)).toEqual({ kind: 'unavailable', owner: 'packs' });
    const [fence, half] = [await holderFence(), await states()];
    expect(half).toBe('open,held');
    for (let time = 0; time < 2; time += 1) expect(await run({ operationId })).toEqual({ kind: 'released', barriers: seen });
    expect([await holderFence(), await states()]).toEqual([fence, 'open,open']);
  });

  it('moved: cat:INT-17 a newer run took everything over since the operation began: its hold stays', async () => {
    const operationId = OperationId.mint();
    const silent = changed('catalog', { release: () => Promise.resolve({ kind: 'unavailable' }) });
    await run({ operationId }, silent);
    await newerRun();
    expect([await run({ operationId }), await states()]).toEqual([{ kind: 'moved' }, 'held,held']);
    expect([await run(), await states()]).toEqual([{ kind: 'released', barriers: seen }, 'open,open']);
  });

  it('released: cat:INT-17 what no newer run took over in between, and says no more than that', async () => {
    const real = owners(schema.db).barriers.catalog;
    const release: PublicationBarrier['release'] = async (...given) => {
      const answer = await real.release(...given);
      await newerRun();
      return answer;
    };
    expect(await run({}, changed('catalog', { release }))).toEqual({ kind: 'released', barriers: seen.slice(0, 1) });
    expect(await states()).toBe('held,held');
  });

  it('OperationReused: an operation that began with other barriers releases none of these', async () => {
    const operationId = OperationId.mint();
    const silent = changed('catalog', { release: () => Promise.resolve({ kind: 'unavailable' }) });
    await run({ operationId }, silent);
    await expect(run({ operationId, barriers: seen.slice(0, 1) })).rejects.toThrow('was used to release other barriers');
    expect(await states()).toBe('held,held');
  });
});
