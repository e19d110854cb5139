import type { Hint } from './wake';

/** Accounts times stages that may wait at once. What does not fit is dropped: the poll finds it. */
const PENDING_MAX = 4_096;

interface Held {
  readonly hint: Hint;
  readonly at: number;
}

/** Hints that wait to go on, as a set of (stage, account): a thousand equal hints are one. */
export class PendingHints {
  readonly #held = new Map<string, Held>();
  readonly #max: number;

  constructor(max = PENDING_MAX) {
    this.#max = max;
  }

  get size(): number {
    return this.#held.size;
  }

  /** False when the set was full and its oldest hint is lost: that one's work is what the poll has most likely seen. */
  add(hint: Hint): boolean {
    const key = `${hint.stage} ${hint.account}`;
    // An equal one keeps its place and its age, so that no hint waits behind its own repetitions.
    if (this.#held.has(key)) return true;
    const [oldest] = this.#held.size < this.#max ? [] : this.#held.keys();
    if (oldest !== undefined) this.#held.delete(oldest);
    this.#held.set(key, { hint, at: performance.now() });
    return oldest === undefined;
  }

  /** Takes out the oldest `count`. */
  take(count: number): readonly Hint[] {
    const taken: Hint[] = [];
    for (const [key, { hint }] of this.#held) {
      if (taken.length === count) break;
      this.#held.delete(key);
      taken.push(hint);
    }
    return taken;
  }

  /** Drops what has waited for longer than `ms`; how many these were. */
  dropOlder(ms: number): number {
    const until = performance.now() - ms;
    let dropped = 0;
    for (const [key, { at }] of this.#held) {
      if (at >= until) break;
      this.#held.delete(key);
      dropped += 1;
    }
    return dropped;
  }

  clear(): void {
    this.#held.clear();
  }
}
