import type { TestSchema } from './database';
import type { StepHook, StepPoint } from '@connector/platform/db/step-hook';

interface Gate {
  readonly reached: Promise<void>;
  readonly release: () => void;
}

/**
 * A step hook that stops a transaction at named points until the test lets it go on: both commit orders without sleeps.
 * `stopAt('grant/commit')` answers a gate; await `reached`, do the other thing, then `release()`.
 */
export class Signals {
  readonly #stops = new Map<string, { arrive: () => void; pass: Promise<void> }[]>();
  readonly seen: string[] = [];

  readonly hook: StepHook = async (at: StepPoint) => {
    this.seen.push(at.point);
    const stop = this.#stops.get(at.point)?.shift();
    if (stop === undefined) return;
    stop.arrive();
    await stop.pass;
  };

  stopAt(point: string): Gate {
    let arrive = (): void => undefined;
    let release = (): void => undefined;
    const reached = new Promise<void>((resolve) => (arrive = resolve));
    const pass = new Promise<void>((resolve) => (release = resolve));
    this.#stops.set(point, [...(this.#stops.get(point) ?? []), { arrive, pass }]);
    return { reached, release };
  }
}

/** Resolves when a statement of this name runs or waits on the schema: a race in which nobody waited would prove nothing. */
export async function somebodyWaitsAt(schema: TestSchema, step: string): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    const [row] = await schema.sql('SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = ? AND info LIKE ?', [
      schema.database,
      `/* ${step} */%`,
    ]);
    if (Number(row?.['n']) > 0) return;
  }
  throw new Error(`nobody waited at ${step}`);
}
