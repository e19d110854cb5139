/** What one list may show. */
export const LIST_MAX = 200;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Goes back as `after`; null: there are no more. */
  readonly next: string | null;
}

export interface Most<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** Of rows that were read one beyond the limit at most, where a list does not go on: what is shown, and whether that is all. */
export function mostOf<Row>(found: readonly Row[], limit: number): Most<Row> {
  return { rows: found.slice(0, limit), more: found.length > limit };
}

/** Of rows that were read one beyond the limit at most: what is shown, and where it goes on. */
export function pageOf<Row>(found: readonly Row[], limit: number, idOf: (row: Row) => string): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? idOf(last) : null };
}
