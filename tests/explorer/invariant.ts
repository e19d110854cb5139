import type { Rows } from './rows';

/** What one commit did: the rows before and after it. */
export interface Commit {
  readonly before: Rows;
  readonly after: Rows;
}

export interface Invariant {
  /** As the list of invariants names it. */
  readonly id: string;
  readonly says: string;
  /** What contradicts it, in words; empty where it holds. */
  readonly broken: (commit: Commit) => readonly string[];
}

export const by = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> => new Map(rows.map((row) => [key(row), row]));
export const fresh = <T>(before: readonly T[], after: readonly T[], key: (row: T) => string): readonly T[] => {
  const known = by(before, key);
  return after.filter((row) => !known.has(key(row)));
};
/** Rows of one key, before and after. */
export const pairs = <T>(before: readonly T[], after: readonly T[], key: (row: T) => string): readonly (readonly [T, T])[] => {
  const known = by(before, key);
  return after.flatMap((row) => {
    const old = known.get(key(row));
    return old === undefined ? [] : [[old, row] as const];
  });
};
export const doubles = (keys: readonly string[]): readonly string[] => [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))];
export const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
type Permit = Rows['permits'][number];
export const permitKey = ({ permit_id }: Permit): string => permit_id;
export const workKey = ({ stage, account }: { stage: string; account: string }): string => `${stage} ${account}`;
type Gap = Rows['gaps'][number];
export const gapKey = ({ lane_id, missing_position }: Gap): string => `${lane_id} ${missing_position.toString('hex')}`;
/** Permits whose call may still be made. */
export const OPEN: readonly string[] = ['granted', 'sending'];
