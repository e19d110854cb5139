/** Frozen policy values for the time after a proven no-effect (decisions 13.7). */
export interface RetryPolicy {
  /** Attempts in all, the first one included. */
  readonly attemptsMax: number;
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly capMs: number };
  /** Whether a refusal by the provider may be tried again. A call whose first byte never left always may. */
  readonly retryRefused: boolean;
}

/**
 * Milliseconds from the settlement to the next attempt, after `attempts` of them; null where the policy allows no further one.
 * Exponential and capped. No jitter: the same settlement, run again after a lost answer, must come to the same value.
 */
export function nextAttemptMs(policy: RetryPolicy, attempts: number): number | null {
  if (attempts >= policy.attemptsMax) return null;
  const { firstMs, factor, capMs } = policy.backoff;
  return Math.floor(Math.min(capMs, firstMs * factor ** (attempts - 1)));
}
