import * as fc from 'fast-check';
import { Digest } from '@connector/kernel/digest';
import { PermitId } from '@connector/kernel/ids';
import { nextAttemptMs, spreadOf, type RetryPolicy } from './backoff';

const policy: RetryPolicy = { attemptsMax: 6, backoff: { firstMs: 1000, factor: 2, capMs: 5000 } };
/** The whole backoff of each attempt, with nothing asked for. */
const whole = (by: RetryPolicy, attempts: readonly number[]): readonly (number | null)[] =>
  attempts.map((attempt) => nextAttemptMs(by, attempt, 0, 1));

/** Permit ids of one account, as random as minted ones and the same in every run. */
function permitId(at: number): PermitId {
  const bytes = Digest.bytes(Digest.sha256(Buffer.from(`permit ${at}`))).subarray(0, 16);
  bytes.set([1, 2, 3, 4], 0);
  return PermitId.of(bytes);
}

describe('backoff', () => {
  it('doubles: the longest delay after each attempt is twice the one before, up to the cap', () => {
    expect(whole(policy, [1, 2, 3, 4, 5])).toEqual([1000, 2000, 4000, 5000, 5000]);
  });
  it('by the frozen factor: one keeps the first delay, three triples it', () => {
    const by = (factor: number) => ({ ...policy, backoff: { firstMs: 10, factor, capMs: 1_000 } });
    expect(whole(by(1), [1, 2, 3])).toEqual([10, 10, 10]);
    expect(whole(by(3), [1, 2, 3])).toEqual([10, 30, 90]);
  });
  it('null: no attempt follows the last one that the policy allows con:CRASH-22', () => {
    expect(whole(policy, [5, 6, 7])).toEqual([5000, null, null]);
    expect(nextAttemptMs({ ...policy, attemptsMax: 1 }, 1, 60_000, 1)).toBeNull();
  });
  it('capped: a thousand attempts do not overflow', () => {
    expect(whole({ ...policy, attemptsMax: 10_000 }, [2000])).toEqual([5000]);
  });
  it('after what was asked: never before it, and no more on top of it than the cap (PUB-RTY-04)', () => {
    expect([0, 0.5, 1].map((spread) => nextAttemptMs(policy, 1, 3_000, spread))).toEqual([3000, 3500, 4000]);
    expect(nextAttemptMs(policy, 1, 1, 1)).toBe(1001);
    expect([0, 1].map((spread) => nextAttemptMs(policy, 5, 86_400_000, spread))).toEqual([86_400_000, 86_405_000]);
  });

  it('bounded: for every policy, attempt, wish and spread', () => {
    const seed = 20261130;
    console.log(`backoff: seed ${seed}`);
    const ms = fc.integer({ min: 1, max: 86_400_000 });
    const given = fc.record({
      ...{ first: ms, cap: ms, factor: fc.integer({ min: 1, max: 10 }), attemptsMax: fc.integer({ min: 1, max: 1_000 }) },
      ...{ attempts: fc.integer({ min: 1, max: 1_000 }), asked: fc.integer({ min: 0, max: 86_400_000 }) },
      spread: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(given, ({ first, cap, factor, attemptsMax, attempts, asked, spread }) => {
        const by = { attemptsMax, backoff: { firstMs: Math.min(first, cap), factor, capMs: cap } };
        const next = nextAttemptMs(by, attempts, asked, spread);
        expect(next === null).toBe(attempts >= attemptsMax);
        if (next === null) return;
        expect(Number.isInteger(next)).toBe(true);
        expect(next).toBeGreaterThanOrEqual(asked);
        expect(next).toBeLessThanOrEqual(asked + cap);
        // The column that holds it has 32 bits.
        expect(next).toBeLessThan(2 ** 31);
        expect(nextAttemptMs(by, attempts, asked, 0)).toBe(asked);
        expect(nextAttemptMs(by, attempts, asked, 1) ?? 0).toBeGreaterThanOrEqual(next);
      }),
      { seed, numRuns: 2_000 },
    );
  });
});

describe('the spread of a permit', () => {
  it('0 to 1, by the bytes that are random in every permit of an account', () => {
    const id = (last: number) => PermitId.of(Buffer.concat([Buffer.alloc(10, 255), Buffer.alloc(6, last)]));
    expect(spreadOf(id(0))).toBe(0);
    expect(spreadOf(id(128))).toBeCloseTo(0.5, 2);
    expect(spreadOf(id(255))).toBeLessThan(1);
    expect(spreadOf(id(255))).toBeGreaterThan(0.999);
  });
  it.each([0, 120_000])(
    'apart: of 1,000 refused in one second under 30 s, no later second holds more than 60; asked to wait %i ms (PUB-RTY-03)',
    (asked) => {
      const slow = { attemptsMax: 5, backoff: { firstMs: 30_000, factor: 2, capMs: 3_600_000 } };
      const seconds = new Map<number, number>();
      for (let at = 0; at < 1_000; at += 1) {
        const second = Math.floor((nextAttemptMs(slow, 1, asked, spreadOf(permitId(at))) ?? 0) / 1_000);
        seconds.set(second, (seconds.get(second) ?? 0) + 1);
      }
      expect(Math.max(...seconds.values())).toBeLessThanOrEqual(60);
      expect(Math.min(...seconds.keys())).toBe(asked / 1_000);
      expect(seconds.size).toBe(30);
    },
  );
});
