import { RetryableFault } from '@connector/kernel/faults';

/** The answer of `work`, or a RetryableFault after `ms`. The work itself is not stopped: give it a signal of its own where it can be. */
export async function within<T>(ms: number, work: Promise<T>, what = 'the work'): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RetryableFault('HOUSE:host:Late', `${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
