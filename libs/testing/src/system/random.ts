/** A small seeded generator (mulberry32), so that a run can be made again. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    for (let at = left.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1);
      [left[at], left[other]] = [left[other] as T, left[at] as T];
    }
    return left;
  }
}

/** `CONNECTOR_SEED`, or one that the run says. */
export function seedOf(env: NodeJS.ProcessEnv = process.env): number {
  const given = Number(env['CONNECTOR_SEED']);
  return Number.isInteger(given) && given > 0 ? given : Math.floor(Math.random() * 1_000_000) + 1;
}
