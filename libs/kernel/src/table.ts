import type { Column, ValueOf } from './column';
import type { Rank } from './locks';

export type Columns = Readonly<Record<string, Column<never>>>;

/**
 * One table, declared once (con:INV-22). The name's prefix says its owner; `rank` is its place in the one lock order;
 * `grows` says why rows come and how long they stay, for people.
 */
export interface Table<C = Record<string, Column<unknown>>> {
  readonly name: string;
  readonly about: string;
  /** Where its rows stand in the lock order; null: rows are never locked (insert-only facts). */
  readonly rank: Rank | null;
  readonly columns: C;
  readonly primary: readonly (keyof C & string)[];
  readonly unique: Readonly<Record<string, readonly (keyof C & string)[]>>;
  readonly index: Readonly<Record<string, readonly (keyof C & string)[]>>;
}
export type RowOf<T> = T extends Table<infer C> ? { readonly [K in keyof C]: ValueOf<C[K]> } : never;

/** The columns that the database fills by itself. */
type Born<C> = { [K in keyof C]: C[K] extends { readonly default: string } ? K : never }[keyof C];
export type NewRow<T> =
  T extends Table<infer C>
    ? { readonly [K in Exclude<keyof C, Born<C>>]: ValueOf<C[K]> } & { readonly [K in Born<C>]?: ValueOf<C[K]> }
    : never;

interface TableSpec<C> {
  readonly about: string;
  readonly rank: Rank | null;
  readonly columns: C;
  readonly primary: readonly (keyof C & string)[];
  readonly unique?: Readonly<Record<string, readonly (keyof C & string)[]>>;
  readonly index?: Readonly<Record<string, readonly (keyof C & string)[]>>;
}

export function table<const C extends Record<string, Column<never> | Column<unknown>>>(name: string, spec: TableSpec<C>): Table<C> {
  return { name, ...spec, unique: spec.unique ?? {}, index: spec.index ?? {} };
}
