import { Random, seedOf } from '@connector/testing/system/random';
import { withoutDeliveries } from '@connector/testing/system/same-rows';
import { changesOf } from '@connector/testing/system/shuffle/changes';
import { type ShuffleRun, voidOf, wrongOf } from '@connector/testing/system/shuffle/report';
import { orderedOn, SHUFFLE_SYSTEM, shuffledOn } from '@connector/testing/system/shuffle/shuffle-run';
import { openSystem, type SystemUnderTest } from '@connector/testing/system/system';

/** A sample of `npm run shuffle`, on one system that is emptied in between. */
const SIZE = { changes: 240, records: 24 };

let system: SystemUnderTest;
beforeAll(async () => {
  system = await openSystem(SHUFFLE_SYSTEM);
}, 120_000);
afterAll(() => system?.close(), 60_000);

describe('shuffle run', () => {
  let run: ShuffleRun;
  it('comes to rest: random order with doubles over three ingresses, then the source’s order, and nothing is left open', async () => {
    const random = new Random(seedOf());
    process.stderr.write(`shuffle run: seed ${random.seed}\n`);
    const changes = changesOf(SIZE);
    const say = (): void => undefined;
    const shuffled = await shuffledOn(system, changes, random, say);
    await withoutDeliveries(system);
    run = { ...SIZE, shuffled, ordered: await orderedOn(system, changes, say) };
  }, 120_000);

  it('in order: con:ORD-01 con:ORD-13 con:ORD-14 each strict position once, ascending; of latest ones up to the greatest; the content is the ordered run’s', () => {
    expect(wrongOf(run)).toEqual([]);
  });

  it('not void: changes came out of order and twice, and three ingresses admitted them', () => {
    expect(voidOf(run) ?? 'met').toBe('met');
  });
});
