import { PermitId } from '@connector/kernel/ids';

/** Frozen policy values for the time after a proven no-effect (decisions 13.7). */
export interface RetryPolicy {
  /** Attempts in all, the first one included. */
  readonly attemptsMax: number;
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly capMs: number };
}

/**
 * Milliseconds from the settlement to the next attempt, after `attempts` of them; null where the policy allows no further one. What the
 * provider asked for, at most a day by what reads it, and on top of it any part of the exponential backoff, `spread` of it (0 to 1): never
 * before it was asked to, and calls that were refused together do not come back together, even after the same Retry-After.
 */
export function nextAttemptMs({ attemptsMax, backoff }: RetryPolicy, attempts: number, askedMs: number, spread: number): number | null {
  if (attempts >= attemptsMax) return null;
  const { firstMs, factor, capMs } = backoff;
  return askedMs + Math.floor(spread * Math.min(capMs, firstMs * factor ** (attempts - 1)));
}

const SPREAD_BYTES = 6;

/**
 * The chance in the wait after this permit, 0 to 1, from the random bytes of its id: nothing is drawn inside a transaction, and the same
 * settlement, run again after a lost answer, comes to the same wait.
 */
export function spreadOf(permitId: PermitId): number {
  return PermitId.bytes(permitId).readUIntBE(16 - SPREAD_BYTES, SPREAD_BYTES) / 2 ** (8 * SPREAD_BYTES);
}
