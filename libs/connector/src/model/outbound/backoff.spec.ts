import { nextAttemptMs, type RetryPolicy } from './backoff';

const policy: RetryPolicy = { attemptsMax: 6, backoff: { firstMs: 1000, factor: 2, capMs: 5000 }, retryRefused: false };

describe('backoff', () => {
  it('doubles: the delay after each attempt is twice the one before, up to the cap', () => {
    expect([1, 2, 3, 4, 5].map((attempts) => nextAttemptMs(policy, attempts))).toEqual([1000, 2000, 4000, 5000, 5000]);
  });
  it('by the frozen factor: one keeps the first delay, three triples it', () => {
    const by = (factor: number) => ({ ...policy, backoff: { firstMs: 10, factor, capMs: 1_000 } });
    expect([1, 2, 3].map((attempts) => nextAttemptMs(by(1), attempts))).toEqual([10, 10, 10]);
    expect([1, 2, 3].map((attempts) => nextAttemptMs(by(3), attempts))).toEqual([10, 30, 90]);
  });
  it('null: no attempt follows the last one that the policy allows con:CRASH-22', () => {
    expect(nextAttemptMs(policy, 6)).toBeNull();
    expect(nextAttemptMs({ ...policy, attemptsMax: 1 }, 1)).toBeNull();
  });
  it('capped: a thousand attempts do not overflow', () => {
    expect(nextAttemptMs({ ...policy, attemptsMax: 10_000 }, 2000)).toBe(5000);
  });
});
