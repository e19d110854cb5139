const WINDOW_MS = 60 * 60_000;
/** The newest ones; a busier hour is summed up by its last part. */
const KEPT_MAX = 1_000;

export interface DelaySummary {
  /** Within the last hour, at most 1,000. */
  readonly count: number;
  /** Whole ms; the lower one of two. */
  readonly median_ms: number | null;
}

/** Delays of the last hour, in memory: they go with the process, and nothing decides by them. */
export class RecentDelays {
  #kept: { readonly ms: number; readonly at: number }[] = [];

  note(ms: number, now = performance.now()): void {
    this.#kept.push({ ms, at: now });
    if (this.#kept.length > 2 * KEPT_MAX) this.#kept = this.#kept.slice(-KEPT_MAX);
  }

  summary(now = performance.now()): DelaySummary {
    this.#kept = this.#kept.filter(({ at }) => now - at <= WINDOW_MS).slice(-KEPT_MAX);
    const sorted = this.#kept.map(({ ms }) => ms).sort((one, other) => one - other);
    const median = sorted[(sorted.length - 1) >> 1];
    return { count: sorted.length, median_ms: median === undefined ? null : Math.round(median) };
  }
}
