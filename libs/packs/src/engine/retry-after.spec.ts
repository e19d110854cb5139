import * as fc from 'fast-check';
import { retryAfterMs } from './retry-after';

const DAY_MS = 86_400_000;
const NOW = 'Mon, 30 Nov 2026 20:00:00 GMT';
const after = (asked: string, date: string | undefined = NOW): number =>
  retryAfterMs({ 'retry-after': asked, ...(date === undefined ? {} : { date }) });

describe('retryAfterMs', () => {
  it('milliseconds: of whole seconds, and of the equal date (PUB-RTY-04)', () => {
    expect([after('120'), after('0'), after('1'), after('007')]).toEqual([120_000, 0, 1_000, 7_000]);
    expect(after('Mon, 30 Nov 2026 20:02:00 GMT')).toBe(120_000);
  });

  it('milliseconds: a date counts from the date of the same answer, whatever the year here is', () => {
    expect(after('Sun, 06 Nov 1994 08:49:38 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT')).toBe(1_000);
    expect(after('Fri, 01 Jan 2100 00:00:01 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT')).toBe(1_000);
  });

  it.each([
    ['a second more than a day', '86401'],
    ['three thousand years (PUB-RTY-04)', '99999999999'],
    ['more than a number holds', '9'.repeat(400)],
    ['the end of the calendar', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ])('a day: of %s no more is believed', (_, asked) => {
    expect(after(asked)).toBe(DAY_MS);
  });

  it.each([
    ...['soon', '-5', '', ' ', '+5', '1.5', '1e3', '0x10', '5s', '120, 60', '120,120', '١٢', 'NaN', 'Infinity', '__proto__'],
    ...['2026-11-30T20:02:00Z', 'Mon, 30 Nov 2026 20:02:00 +0000', 'Monday, 30-Nov-26 20:02:00 GMT', 'Mon Nov 30 20:02:00 2026'],
    ...['Tue, 30 Nov 2026 20:02:00 GMT', 'Mon, 31 Nov 2026 20:02:00 GMT', 'Mon, 30 Nov 2026 20:02:60 GMT', '30 Nov 2026'],
    ...['Mon, 30 Nov 2026 20:02:00 GMT, Mon, 30 Nov 2026 20:03:00 GMT', 'Mon, 30 Nov 2026 20:02:00 GMT '],
  ])('0, and the policy alone decides: %j is no wait', (asked) => {
    expect(after(asked)).toBe(0);
  });

  it('0: a date that has passed, one that nothing tells the distance of, and no header at all', () => {
    const later = 'Mon, 30 Nov 2026 20:02:00 GMT';
    expect(after('Mon, 30 Nov 2026 19:59:59 GMT')).toBe(0);
    expect(retryAfterMs({ 'retry-after': later })).toBe(0);
    for (const date of ['', 'now', '0', `${NOW}, ${NOW}`]) expect(after(later, date)).toBe(0);
    expect(retryAfterMs({})).toBe(0);
    expect(retryAfterMs(Object.create({ 'retry-after': '5' }) as Record<string, string>)).toBe(0);
  });

  it('bounded: whatever the headers hold, a whole number from 0 to a day', () => {
    const value = fc.oneof(
      fc.string(),
      fc.bigInt().map(String),
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((at) => at.toUTCString()),
    );
    fc.assert(
      fc.property(value, value, (asked, date) => {
        const ms = after(asked, date);
        expect(Number.isInteger(ms) && ms >= 0 && ms <= DAY_MS).toBe(true);
      }),
      { seed: 20261130, numRuns: 2_000 },
    );
  });
});
