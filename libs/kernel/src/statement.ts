import type { Column, Param } from './column';
import { DefectFault } from './faults';
import type { StepVerb } from './paths';
import type { RowOf, Table } from './table';

/** Statements that TiDB reads differently, or that take away what the fences rest on (database 8.1, 9.1). */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/\bSKIP\s+LOCKED\b/i, 'SKIP LOCKED reads without a lock on TiDB'],
  [/\bLOCK\s+IN\s+SHARE\s+MODE\b|\bFOR\s+SHARE\b/i, 'there are no shared row locks on TiDB'],
  [/\bFOR\s+UPDATE\s+OF\b/i, 'FOR UPDATE OF binds differently between versions'],
  [/\bSERIALIZABLE\b/i, 'SERIALIZABLE is refused by TiDB'],
  [/\bON\s+DUPLICATE\s+KEY\b|\bINSERT\s+IGNORE\b|\bREPLACE\s+INTO\b/i, 'an insert says whether it inserted: catch 1062'],
  [/\bRETURNING\b/i, 'TiDB has no RETURNING'],
  [/\bLIMIT\s+[?:]/i, 'LIMIT is a checked integer in the text'],
  [/\bGET_LOCK\s*\(/i, 'no named locks for authority'],
  [/^\s*UPDATE\b[^(]*\bJOIN\b/i, 'an update is of one table: grants of several differ between versions'],
  [/;/, 'one statement at a time'],
];

export function guardSql(sql: string): void {
  for (const [pattern, why] of REFUSED) if (pattern.test(sql)) throw new DefectFault('HOUSE:db:SqlRefused', `${why}: ${sql.slice(0, 120)}`);
}

type ColumnMap = Readonly<Record<string, Column<never> | Column<unknown>>>;
/** Values by column name; `.next` stands for a second value of the same column, arrays for an IN list. */
export type ParamsOf<T> =
  | { readonly [K in keyof RowOf<T>]?: RowOf<T>[K] | readonly RowOf<T>[K][] }
  | { readonly [K in keyof RowOf<T> & string as `${K}.next`]?: RowOf<T>[K] };
export type Params = Readonly<Record<string, unknown>>;

/** A statement with its values; `key` is the part of them that belongs to the table's primary key, for the lock order. */
export interface Bound {
  readonly sql: string;
  readonly values: readonly Param[];
  readonly key: readonly Param[];
}

export interface Statement<Row = unknown> {
  /** `verb table#label`, the step that it is. */
  readonly name: string;
  readonly verb: StepVerb;
  readonly table: Table;
  readonly sql: string;
  readonly columns: Readonly<Record<string, Column<unknown>>>;
  /** The text and the parameters for the driver; DefectFault where a name is missing or unknown. */
  bind(params: Params): Bound;
  decode(raw: Readonly<Record<string, unknown>>): Row;
}

const PLACE = /:([a-z_][a-z0-9_]*)(\.next)?/g;

function compile(name: string, sql: string, columns: ColumnMap, primary: readonly string[]): (params: Params) => Bound {
  guardSql(sql);
  const used = new Set<string>();
  for (const match of sql.matchAll(PLACE)) {
    used.add(match[0].slice(1));
    if (columns[match[1] as string] === undefined)
      throw new DefectFault('HOUSE:db:StatementParameter', `${name}: no column for ${match[0]}`);
  }
  return (params) => {
    for (const given of Object.keys(params)) {
      if (!used.has(given)) throw new DefectFault('HOUSE:db:StatementParameter', `${name}: ${given} is not in the statement`);
    }
    const values: Param[] = [];
    const key: Param[] = [];
    const text = sql.replace(PLACE, (place, column: string) => {
      const value = params[place.slice(1)];
      if (value === undefined) throw new DefectFault('HOUSE:db:StatementParameter', `${name}: ${place} is missing`);
      const codec = columns[column] as Column<unknown>;
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (items.length === 0) throw new DefectFault('HOUSE:db:StatementParameter', `${name}: ${place} is an empty list`);
      const encoded = items.map((item) => codec.encode(item));
      values.push(...encoded);
      if (primary.includes(column)) key.push(...encoded);
      return encoded.map(() => '?').join(', ');
    });
    return { sql: `/* ${name} */ ${text}`, values, key };
  };
}

function decoder(columns: ColumnMap): (raw: Readonly<Record<string, unknown>>) => never {
  const entries = Object.entries(columns) as [string, Column<unknown>][];
  return (raw) => Object.fromEntries(entries.map(([key, column]) => [key, column.decode(raw[key])])) as never;
}

interface Extra {
  readonly [name: string]: Column<never> | Column<unknown>;
}
type RowPick<T, K extends keyof RowOf<T>> = { readonly [P in K]: RowOf<T>[P] };

function make<T extends Table<never> | Table, Row>(
  verb: StepVerb,
  label: string,
  on: T,
  sql: string,
  picked: ColumnMap,
  extra: Extra,
): Statement<Row> {
  const owner = on as unknown as Table;
  const name = `${verb} ${owner.name}${label === '' ? '' : `#${label}`}`;
  return {
    name,
    verb,
    table: owner,
    sql,
    columns: picked as Readonly<Record<string, Column<unknown>>>,
    bind: compile(name, sql, { ...(owner.columns as ColumnMap), ...extra }, owner.primary),
    decode: decoder(picked) as (raw: Readonly<Record<string, unknown>>) => Row,
  };
}

function pickColumns<T>(on: Table<T>, keys: readonly string[]): ColumnMap {
  return Object.fromEntries(keys.map((key) => [key, (on.columns as unknown as ColumnMap)[key] as Column<unknown>]));
}

/** A column that the database computes in the same statement, its clock above all: the SQL, and how its value is read. */
export interface Computed {
  readonly [name: string]: { readonly sql: string; readonly column: Column<never> | Column<unknown> };
}
type ComputedRow<X> = { readonly [P in keyof X]: X[P] extends { readonly column: Column<infer V> } ? V : never };

interface LockOptions<X> {
  /** Where one path locks a table twice. */
  readonly label?: string;
  /** Answered at once where somebody holds a row: for `lockIfFree` alone. */
  readonly nowait?: true;
  readonly params?: Extra;
  readonly computed?: X;
}

/** `SELECT cols FROM table <where> FOR UPDATE`: rows by full key, in the one lock order. */
export function lockRows<T, const K extends keyof RowOf<Table<T>> & string, const X extends Computed = Record<never, never>>(
  on: Table<T>,
  cols: readonly K[],
  where: string,
  options: LockOptions<X> = {},
): Statement<RowPick<Table<T>, K> & ComputedRow<X>> {
  const computed = Object.entries(options.computed ?? {});
  const list = [...cols, ...computed.map(([alias, { sql }]) => `${sql} AS ${alias}`)].join(', ');
  const columns = { ...pickColumns(on, cols), ...Object.fromEntries(computed.map(([alias, { column }]) => [alias, column])) };
  return make(
    'lock',
    options.label ?? '',
    on as never,
    `SELECT ${list} FROM ${on.name} ${where} FOR UPDATE${options.nowait ? ' NOWAIT' : ''}`,
    columns,
    options.params ?? {},
  );
}

/** `SELECT cols FROM table <tail>`: a plain read; in a transaction only of facts that cannot change. */
export function readRows<T, const K extends keyof RowOf<Table<T>> & string>(
  on: Table<T>,
  cols: readonly K[],
  tail: string,
  label = '',
  extra: Extra = {},
): Statement<RowPick<Table<T>, K>> {
  return make('read', label, on as never, `SELECT ${cols.join(', ')} FROM ${on.name} ${tail}`, pickColumns(on, cols), extra);
}

/** A plain read over several tables or with computed columns; `columns` says how each selected name is decoded. */
export function readQuery<T, const C extends Record<string, Column<never> | Column<unknown>>>(
  on: Table<T>,
  columns: C,
  sql: string,
  label = '',
  extra: Extra = {},
): Statement<{ readonly [K in keyof C]: C[K] extends Column<infer V> ? V : never }> {
  return make('read', label, on as never, sql, columns as ColumnMap, extra);
}

/**
 * `UPDATE table <set and where>`: a compare-and-swap by primary key; the compare is in the WHERE. The key is named as the way in: left the
 * choice, an engine may take an index of a compared column, and then it waits for the neighbour of the row in that index, which is another
 * account's.
 */
export function updateRows<T>(on: Table<T>, tail: string, label = '', extra: Extra = {}): Statement<never> {
  guardSql(`UPDATE ${on.name} ${tail}`);
  return make('update', label, on as never, `UPDATE ${on.name} FORCE INDEX (PRIMARY) ${tail}`, {}, extra);
}
