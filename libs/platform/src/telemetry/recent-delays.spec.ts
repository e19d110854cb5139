import { RecentDelays } from './recent-delays';

const HOUR_MS = 3_600_000;

describe('delays of the last hour', () => {
  it('none: no median of nothing', () => {
    expect(new RecentDelays().summary()).toEqual({ count: 0, median_ms: null });
  });

  it('median: the middle one, the lower of two', () => {
    const delays = new RecentDelays();
    for (const ms of [900, 5, 30]) delays.note(ms);
    expect(delays.summary()).toEqual({ count: 3, median_ms: 30 });
    delays.note(1);
    expect(delays.summary()).toEqual({ count: 4, median_ms: 5 });
  });

  it('forgotten: what is older than an hour does not count', () => {
    const delays = new RecentDelays();
    delays.note(7, 0);
    delays.note(9, 10);
    expect(delays.summary(HOUR_MS)).toMatchObject({ count: 2 });
    expect(delays.summary(HOUR_MS + 5)).toEqual({ count: 1, median_ms: 9 });
  });

  it('bounded: the newest thousand', () => {
    const delays = new RecentDelays();
    for (let at = 0; at < 5_000; at += 1) delays.note(at, 0);
    expect(delays.summary(0)).toEqual({ count: 1_000, median_ms: 4_499 });
  });
});
