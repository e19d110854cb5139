import { Db } from '@connector/platform/db/db';
import { Pool, type PoolOptions } from '@connector/platform/db/pool';
import type { TestSchema } from '@connector/testing/database';
import { testDatabase } from '@connector/testing/engine';

/** A statement as the database got it; `name` is the step that it says it is. */
export interface Ran {
  readonly name: string;
  readonly sql: string;
  readonly values: readonly unknown[];
}

type Session = Parameters<NonNullable<PoolOptions['inspect']>>[0];

const NAMED = /^\/\* ((?:lock|read|insert|update) [^*]+) \*\/ /;

/** A `Db` on the schema of a test that remembers every statement of its transactions, text and values. */
export class Tap {
  readonly db: Db;
  #ran: Ran[] = [];

  constructor({ database }: TestSchema) {
    const { host, port, user, password } = testDatabase();
    const inspect = async (connection: Session): Promise<void> => this.#listen(connection);
    this.db = new Db({ pool: new Pool({ host, port, user, password, database, size: 4, inspect }) });
  }

  /** What ran since the last time. */
  take(): readonly Ran[] {
    return this.#ran.splice(0);
  }

  close(): Promise<void> {
    return this.db.close();
  }

  #listen(connection: Session): void {
    const query = connection.query.bind(connection) as (options: unknown) => unknown;
    const heard = (options: string | { readonly sql: string; readonly values?: readonly unknown[] }): unknown => {
      const { sql, values = [] } = typeof options === 'string' ? { sql: options } : options;
      const name = NAMED.exec(sql)?.[1];
      if (name !== undefined) this.#ran.push({ name, sql, values });
      return query(options);
    };
    connection.query = heard as typeof connection.query;
  }
}
