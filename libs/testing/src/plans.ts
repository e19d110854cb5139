import { Db } from '@connector/platform/db/db';
import { Pool, type PoolOptions } from '@connector/platform/db/pool';
import type { TestSchema } from './database';
import { testDatabase } from './engine';

type Session = Parameters<NonNullable<PoolOptions['inspect']>>[0];
type Row = Readonly<Record<string, unknown>>;

/** A statement as the database got it, how it went about it, and what that took. */
export interface Planned {
  readonly name: string;
  readonly sql: string;
  /** A table of the plan each: how its rows are found, and what is done with them. */
  readonly plan: readonly { readonly table: string; readonly access: string; readonly extra: string }[];
  /** Rows that the engine was asked for. */
  readonly examined: number;
  /** Rows that came back; null of a write. */
  readonly rows: number | null;
}

const NAMED = /^\/\* ((?:lock|read|insert|update) [^*]+) \*\/ /;
/** What finds rows over an index; the rest reads a table or a whole index from end to end. */
const BY_INDEX = new Set(['const', 'eq_ref', 'ref', 'ref_or_null', 'range', 'system', 'unique_subquery', 'index_subquery']);

/** A `Db` of one session on the schema of a test, in which every statement is explained and its handler calls are counted. */
export class Plans {
  readonly db: Db;
  #planned: Planned[] = [];

  constructor({ database }: TestSchema) {
    const { host, port, user, password } = testDatabase();
    const inspect = async (connection: Session): Promise<void> => this.#listen(connection);
    this.db = new Db({ pool: new Pool({ host, port, user, password, database, size: 1, inspect }) });
  }

  /** What ran since the last time. */
  take(): readonly Planned[] {
    return this.#planned.splice(0);
  }

  close(): Promise<void> {
    return this.db.close();
  }

  #listen(connection: Session): void {
    const query = connection.query.bind(connection) as (options: unknown) => Promise<[unknown, unknown]>;
    const rowsOf = async (sql: unknown): Promise<readonly Row[]> => (await query(sql))[0] as readonly Row[];
    const heard = async (options: string | { readonly sql: string }): Promise<unknown> => {
      const name = NAMED.exec(typeof options === 'string' ? options : options.sql)?.[1];
      if (name === undefined || typeof options === 'string' || name.startsWith('insert ')) return query(options);
      // Explained before: what an update has changed it would not find any more.
      const plan = (await rowsOf({ ...options, sql: `EXPLAIN ${options.sql}` })).map(placeOf);
      await query('FLUSH STATUS');
      const answer = await query(options);
      const counted = await rowsOf("SHOW SESSION STATUS LIKE 'Handler_read%'");
      const examined = counted.reduce((sum, { Value }) => sum + Number(Value), 0);
      this.#planned.push({ name, sql: options.sql, plan, examined, rows: Array.isArray(answer[0]) ? answer[0].length : null });
      return answer;
    };
    connection.query = heard as typeof connection.query;
  }
}

const placeOf = (row: Row) => ({ table: String(row['table'] ?? ''), access: String(row['type'] ?? ''), extra: String(row['Extra'] ?? '') });

/** What is wrong with a plan, a line each. */
export function faultsOf({ name, plan }: Planned): readonly string[] {
  return plan.flatMap(({ table, access, extra }) => {
    // A row of a plan that names no table of ours: nothing found by key, or the parts of a union one after the other.
    const nowhere = access === '' || table.startsWith('<');
    const scans = nowhere || BY_INDEX.has(access) ? [] : [`${name}: ${table} is read from end to end (${access})`];
    const sorts = /filesort|temporary/i.test(extra) ? [`${name}: ${table}: ${extra}`] : [];
    return [...scans, ...sorts];
  });
}
