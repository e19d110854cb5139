import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/** The first answer of `look` that is not undefined; throws after `ms`, saying what was waited for. `look` may throw: that is no answer. */
export async function until<T>(what: string, ms: number, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  let last: unknown;
  for (const end = performance.now() + ms; ; await pause(LOOK_EVERY_MS)) {
    try {
      const found = await look();
      if (found !== undefined) return found;
      last = undefined;
    } catch (thrown) {
      last = thrown;
    }
    if (performance.now() > end) throw new Error(`${what}: not after ${ms} ms`, { cause: last });
  }
}

/** `true`, or undefined to go on waiting. */
export const when = (holds: boolean): true | undefined => (holds ? true : undefined);
