import { isMet, quantile, ratiosOf, spreadOf } from './statistics';

describe('statistics of a bench', () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
  ])('measured: the quantile %d of 1 to 100 is %d, in whatever order they came', (share, expected) => {
    expect(
      quantile(
        Array.from({ length: 100 }, (_, at) => ((at * 37) % 100) + 1),
        share,
      ),
    ).toBe(expected);
  });

  it('measured: of few values the 99th is the greatest, and the middle is one of them', () => {
    expect([quantile([30, 9, 100, 7], 0.99), quantile([30, 9, 100, 7], 0.5)]).toEqual([100, 9]);
  });

  it('thrown: of nothing there is no middle', () => {
    expect(() => spreadOf([])).toThrow('nothing was measured');
  });

  it('measured: a spread by number, not by text', () => {
    expect(spreadOf([10, 9, 200])).toEqual({ median: 10, min: 9, max: 200, count: 3 });
  });

  it('paired: a machine that halves its speed in one round moves no ratio', () => {
    expect(
      ratiosOf([
        [80, 100],
        [40, 50],
      ]),
    ).toEqual([0.8, 0.8]);
  });

  it.each([
    ['at least', 0.6, 0.6, true],
    ['at least', 0.6, 0.5999, false],
    ['at most', 1.2, 1.2, true],
    ['at most', 1.2, 1.2001, false],
  ] as const)('judged: %s %d by a median of %d: %s', (must, than, median, expected) => {
    expect(isMet({ must, than }, { median, min: 0, max: 9, count: 3 })).toBe(expected);
  });
});
