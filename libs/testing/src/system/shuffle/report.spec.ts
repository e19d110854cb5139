import { type Half, type ShuffleRun, summaryOf, voidOf, wrongOf } from './report';

const HALF: Half = {
  ...{ wrong: [], content: { records: ['a', 'b'] }, late: { strict: 4, latest: 4 }, deliveries: 9, redelivered: 1, admitted: [2, 3, 4] },
  ...{ again: 1, applied: { strict: 10, latest: 3 }, superseded: 2, gaps: 1, calls: 1, sentSeconds: 1, seconds: 2 },
};
const RUN: ShuffleRun = { changes: 20, records: 4, shuffled: HALF, ordered: { ...HALF, late: { strict: 0, latest: 0 }, admitted: [9] } };
const shuffled = (change: Partial<Half>): ShuffleRun => ({ ...RUN, shuffled: { ...HALF, ...change } });

describe('shuffle › report', () => {
  it('neither void nor wrong: what met everything and ended alike', () => {
    expect([voidOf(RUN), wrongOf(RUN)]).toEqual([undefined, []]);
  });

  it.each<[string, ShuffleRun]>([
    ['no strict record met a change too early', shuffled({ late: { strict: 0, latest: 4 } })],
    ['no strict record met a change too early', shuffled({ gaps: 0 })],
    ['no latest record met a change too late', shuffled({ late: { strict: 4, latest: 0 } })],
    ['no latest record met a change too late', shuffled({ superseded: 0 })],
    ['no latest record was applied more than once', shuffled({ applied: { strict: 10, latest: 2 } })],
    ['no delivery came twice', shuffled({ redelivered: 0 })],
    ['no change came in a second delivery', shuffled({ again: 0 })],
    ['the ingresses admitted 4, 0, 5', shuffled({ admitted: [4, 0, 5] })],
    ['the ingresses admitted 4, 5', shuffled({ admitted: [4, 5] })],
    ['the ordered run was not in order', { ...RUN, ordered: { ...RUN.ordered, late: { strict: 0, latest: 1 } } }],
  ])('void: %s', (why, run) => {
    expect(voidOf(run)).toBe(`void: ${why}`);
  });

  it('wrong: what either run found, and a row that only one of them has', () => {
    expect(wrongOf(shuffled({ wrong: ['x'], content: { records: ['a', 'c'] } }))).toEqual([
      'shuffled: x',
      'the content is not that of the ordered run: records: 2 and 2 rows; b and not c',
    ]);
    expect(wrongOf({ ...RUN, ordered: { ...RUN.ordered, wrong: ['y'] } })).toEqual(['ordered: y']);
  });

  it('told: how much of what was met, for a person', () => {
    expect(summaryOf(RUN).join('\n')).toMatch(
      /20 changes of 4 records[^]*3 ingresses, which admitted 2, 3, 4[^]*10 strict and 3 latest changes applied, 2 superseded/,
    );
  });
});
