import { setTimeout as delay } from 'node:timers/promises';
import { RetryableFault, UndeterminedFault } from '@connector/kernel/faults';

export interface RetryPolicy {
  /** Tries in all. */
  readonly attempts: number;
  readonly firstMs: number;
  readonly capMs: number;
}

/** For one caller's answer: about two seconds in all, then the fault is theirs. */
export const ANSWER_SOON: RetryPolicy = { attempts: 8, firstMs: 5, capMs: 500 };

/**
 * Runs a whole write path again after a fault that says so, with full jitter. An unknown COMMIT is run again with the same keys:
 * that is what settles it (decisions 3.5), so `run` must use keys that were fixed before the first try.
 */
export async function retrying<T>(policy: RetryPolicy, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const again = error instanceof RetryableFault || error instanceof UndeterminedFault;
      if (!again || attempt >= policy.attempts) throw error;
      await delay(Math.random() * Math.min(policy.capMs, policy.firstMs * 2 ** attempt));
    }
  }
}
