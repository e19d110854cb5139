import { randomBytes } from 'node:crypto';
import { DB_ROLES } from '@connector/kernel/roles';
import { openAdmin } from '@connector/platform/db/admin';
import { Db } from '@connector/platform/db/db';
import { Pool } from '@connector/platform/db/pool';
import type { GivenEngine } from '@connector/services/local/src/start-local';
import { type TestDatabase, testDatabase } from '../engine';

/** Both databases of one system on one server; the migrator makes them, `drop` takes them and their users away. */
export interface OwnDatabases {
  readonly engine: GivenEngine;
  /** Plain SQL in the main database, for arranging and looking, also after the server was away. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** The main database for the product's own reads, as the administrator. */
  db(): Db;
  drop(): Promise<void>;
}

/** Names short enough that each role still has a user name of its own. */
export function ownDatabases(server: TestDatabase = testDatabase()): OwnDatabases {
  const { host, port, user, password, grantsEnforced } = server;
  const mainDatabase = `con_sys_${randomBytes(5).toString('hex')}`;
  const journalDatabase = `${mainDatabase}_j`;
  let opened: Pool | undefined;
  const pool = (): Pool => (opened ??= new Pool({ host, port, user, password, database: mainDatabase, size: 4 }));
  return {
    engine: { host, port, user, password, mainDatabase, journalDatabase, grantsEnforced },
    sql: (text, values = []) => queried(pool(), text, values),
    db: () => new Db({ pool: pool() }),
    drop: async () => {
      await opened?.close();
      const root = await openAdmin({ host, port, user, password });
      for (const database of [mainDatabase, journalDatabase]) await root.query(`DROP DATABASE IF EXISTS ${database}`);
      if (grantsEnforced) for (const role of DB_ROLES) await root.query(`DROP USER IF EXISTS '${mainDatabase}_${role}'@'%'`);
      await root.close();
    },
  };
}

async function queried(pool: Pool, text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
  const connection = await pool.acquire();
  try {
    const [rows] = await connection.query(text, [...values]);
    pool.release(connection);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } catch (thrown) {
    pool.destroy(connection);
    throw thrown;
  }
}
