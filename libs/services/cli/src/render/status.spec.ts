import { renderStatus } from './status';

const wakeLine = (wakes: object): string | undefined =>
  renderStatus({ wakes, gates: [], waiting: {}, stages: [] }, 'mariadb', false).find((line) => line.startsWith('wake-ups'));

describe('the wake-ups of the status', () => {
  it('seen: the wake in use, and the median by wakes and by polling with how many claims it is of', () => {
    const seen = { adapter: 'kafka', state: 'hearing', by_wake: { count: 210, median_ms: 14 }, by_poll: { count: 4, median_ms: 630 } };
    expect(wakeLine({ kind: 'seen', seen })).toBe(
      'wake-ups  kafka, hearing   due to claim, last hour: 14 ms by wakes (median of 210), 630 ms by polling (median of 4)',
    );
  });

  it('none: no figure of nothing', () => {
    const nothing = { count: 0, median_ms: null };
    expect(wakeLine({ kind: 'seen', seen: { adapter: 'silent', state: 'off', by_wake: nothing, by_poll: nothing } })).toBe(
      'wake-ups  silent, off   due to claim, last hour: none by wakes, none by polling',
    );
  });

  it('unknown: why, in place of a figure', () => {
    expect(wakeLine({ kind: 'unknown', detail: 'the claimant does not answer' })).toBe('wake-ups  not known: the claimant does not answer');
  });
});
