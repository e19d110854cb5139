import type { Entry } from '@connector/services/provider-simulator/src/entry';
import type { Sent } from '../source';
import type { Rows } from './rows';

/** The three ledgers of a run (reliability 3.1), and what the product says of every row that is not finished. */
export interface History {
  readonly rows: Rows;
  /** Everything that was sent to us, and what we answered. */
  readonly sent: readonly Sent[];
  /** Everything that reached the provider. */
  readonly provider: readonly Entry[];
  /** The reason code of an unfinished row by its id; absent where the product has none. */
  readonly explained: ReadonlyMap<string, string>;
}

/** What is wrong, one sentence each. */
export class Findings {
  readonly sentences: string[] = [];

  /** Says `sentence` unless it holds. */
  must(holds: boolean, sentence: string): void {
    if (!holds) this.sentences.push(sentence);
  }
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export const indexBy = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [keyOf(item), item]));
