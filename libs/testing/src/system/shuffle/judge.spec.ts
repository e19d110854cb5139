import type { Change } from './changes';
import { type Applied, arrivedLate, type Arrived, type Seen, wrongOrder } from './judge';

const change = (order: Change['order'], record: number, position: number): Change => ({ order, record, position });
const CHANGES: readonly Change[] = [1, 2, 3].flatMap((position) => [change('strict', 1, position), change('latest', 2, position)]);

/** Versions as a record has them that every change moved. */
const strict = (...positions: readonly number[]): readonly Applied[] =>
  positions.map((position, at) => ({ ...change('strict', 1, position), outcome: 'applied', version: at + 1 }));
const latest = (...positions: readonly number[]): readonly Applied[] =>
  positions.map((position, at) => ({ ...change('latest', 2, position), outcome: 'applied', version: at + 1 }));
const over = (...positions: readonly number[]): readonly Change[] => positions.map((position) => change('latest', 2, position));

const seen = (applied: readonly Applied[], superseded: readonly Change[]): Seen => ({ applied, superseded, arrived: [] });
const RIGHT = seen([...strict(1, 2, 3), ...latest(1, 3)], over(2));

/** Everything that a run could do wrong, and the words in which it must be said. */
const PLANTED: readonly (readonly [string, Seen, RegExp])[] = [
  ['a strict position before its predecessor', seen([...strict(2, 1, 3), ...latest(3)], over(1, 2)), /saw 2, 1, 3, and must see 1, 2, 3/],
  ['a strict position twice', seen([...strict(1, 2, 2, 3), ...latest(3)], over(1, 2)), /saw 1, 2, 2, 3, and must/],
  ['a strict position that is missing', seen([...strict(1, 3), ...latest(3)], over(1, 2)), /saw 1, 3, and must/],
  ['a strict record that nobody applied', seen(latest(3), over(1, 2)), /record 1 \(strict\): the application saw none/],
  [
    'a strict position that changed nothing',
    seen([...strict(1, 2), { ...change('strict', 1, 3), outcome: 'noop', version: null }, ...latest(3)], over(1, 2)),
    /versions are applied 1, applied 2, noop -/,
  ],
  [
    'strict versions in another order than their times',
    seen([...strict(1, 2, 3).map((one, at) => ({ ...one, version: [1, 3, 2][at] ?? 0 })), ...latest(3)], over(1, 2)),
    /versions are applied 1, applied 3, applied 2/,
  ],
  ['a strict position superseded', seen(RIGHT.applied, [...over(2), change('strict', 1, 2)]), /2 superseded, and a strict record/],
  ['a latest position after a greater one', seen([...strict(1, 2, 3), ...latest(1, 3, 2)], []), /saw 1, 3, 2, which does not ascend/],
  ['a latest position twice', seen([...strict(1, 2, 3), ...latest(1, 3, 3)], over(2)), /saw 1, 3, 3, which does not ascend/],
  [
    'a latest record that ends below its greatest',
    seen([...strict(1, 2, 3), ...latest(1)], over(2, 3)),
    /saw 1 last, and 3 is the greatest/,
  ],
  ['a latest position that is in no decision', seen(RIGHT.applied, []), /1, 3 applied and none superseded are not all of 3/],
  ['a latest position applied and superseded', seen(RIGHT.applied, over(2, 3)), /1, 3 applied and 2, 3 superseded are not all/],
  ['a latest position superseded twice', seen(RIGHT.applied, over(2, 2)), /superseded are not all of 3, each once/],
  [
    'a latest position that changed nothing',
    seen([...strict(1, 2, 3), { ...change('latest', 2, 3), outcome: 'noop', version: null }], over(1, 2)),
    /changed nothing/,
  ],
  [
    'a record of nobody',
    seen([...RIGHT.applied, { ...change('strict', 9, 1), outcome: 'applied', version: 1 }], over(2)),
    /record 9 .* nobody/,
  ],
];

describe('shuffle › judge', () => {
  it('nothing: each strict position once, ascending; a latest subsequence up to the greatest, the rest superseded', () => {
    expect(wrongOrder(CHANGES, RIGHT)).toEqual([]);
    expect(wrongOrder(CHANGES, seen([...latest(3), ...strict(1, 2, 3)], over(2, 1)))).toEqual([]);
  });

  it.each(PLANTED)('found, and nothing else: %s', (_, planted, words) => {
    const found = wrongOrder(CHANGES, planted);
    expect(found.filter((sentence) => words.test(sentence))).toHaveLength(1);
    expect(new Set(found.map((sentence) => sentence.split(':')[0])).size).toBe(1);
  });

  it('late: a position is late behind a greater one of its own record, and not of the same moment', () => {
    const at = (order: Change['order'], record: number, position: number, moment: string): Arrived => ({
      ...change(order, record, position),
      at: moment,
    });
    const before = [at('strict', 1, 2, '01'), at('strict', 3, 1, '02'), at('latest', 2, 1, '02'), at('latest', 2, 2, '02')];
    expect(arrivedLate(before)).toEqual({ strict: 0, latest: 0 });
    expect(arrivedLate([...before, at('strict', 1, 1, '02'), at('latest', 2, 3, '01')])).toEqual({ strict: 1, latest: 2 });
  });
});
