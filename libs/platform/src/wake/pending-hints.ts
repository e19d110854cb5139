import type { Hint } from './wake';

/** Accounts times stages that may wait at once. What does not fit is dropped: the poll finds it. */
const PENDING_MAX = 4_096;

/** Hints that wait to go on, as a set of (stage, account): a thousand equal hints are one. */
export class PendingHints {
  readonly #held = new Map<string, Hint>();
  readonly #max: number;

  constructor(max = PENDING_MAX) {
    this.#max = max;
  }

  get size(): number {
    return this.#held.size;
  }

  /** False when the set is full and the hint is lost. */
  add(hint: Hint): boolean {
    const key = `${hint.stage} ${hint.account}`;
    if (!this.#held.has(key) && this.#held.size >= this.#max) return false;
    this.#held.set(key, hint);
    return true;
  }

  /** Takes out the oldest `count`. */
  take(count: number): readonly Hint[] {
    const taken: Hint[] = [];
    for (const [key, hint] of this.#held) {
      if (taken.length === count) break;
      this.#held.delete(key);
      taken.push(hint);
    }
    return taken;
  }

  clear(): void {
    this.#held.clear();
  }
}
