/** What a series of rounds says: its middle, and how far it went to both sides. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** How many values it is made of. */
  readonly count: number;
}

/** The value that at least this share of them do not pass (nearest rank), so it is always one that was measured. `share` in (0, 1]. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const found = sorted[Math.ceil(sorted.length * share) - 1];
  if (found === undefined) throw new RangeError('nothing was measured');
  return found;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), min: quantile(values, Number.MIN_VALUE), max: quantile(values, 1), count: values.length };
}

/** Round by round, never one side's middle by the other's: what disturbed a round disturbed both sides of it. */
export function ratiosOf(pairs: readonly (readonly [one: number, other: number])[]): readonly number[] {
  return pairs.map(([one, other]) => one / other);
}

export interface Target {
  readonly must: 'at least' | 'at most';
  readonly than: number;
}

/** Judged unrounded, so that a printed 0.60 may be a missed 0.6. */
export function isMet({ must, than }: Target, { median }: Spread): boolean {
  return must === 'at least' ? median >= than : median <= than;
}
