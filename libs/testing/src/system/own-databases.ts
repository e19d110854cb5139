import { randomBytes } from 'node:crypto';
import { DB_ROLES } from '@connector/kernel/roles';
import { type Admin, openAdmin } from '@connector/platform/db/admin';
import { Db } from '@connector/platform/db/db';
import { Pool } from '@connector/platform/db/pool';
import type { GivenEngine } from '@connector/services/local/src/start-local';
import { testDatabase } from '../engine';

/** Both databases of one system on the server of the test run; the migrator makes them, `drop` takes them and their users away. */
export interface OwnDatabases {
  readonly engine: GivenEngine;
  /** Plain SQL for arranging and looking; opened at the first use. */
  admin(): Promise<Admin>;
  /** The main database for the product's own reads, as the administrator. */
  db(): Db;
  drop(): Promise<void>;
}

/** Names short enough that each role still has a user name of its own. */
export function ownDatabases(): OwnDatabases {
  const { host, port, user, password, grantsEnforced } = testDatabase();
  const mainDatabase = `con_sys_${randomBytes(5).toString('hex')}`;
  const journalDatabase = `${mainDatabase}_j`;
  let opened: Promise<Admin> | undefined;
  let pool: Pool | undefined;
  const admin = (): Promise<Admin> => (opened ??= openAdmin({ host, port, user, password }));
  return {
    engine: { host, port, user, password, mainDatabase, journalDatabase, grantsEnforced },
    admin,
    db: () => new Db({ pool: (pool ??= new Pool({ host, port, user, password, database: mainDatabase, size: 4 })) }),
    drop: async () => {
      await pool?.close();
      const root = await admin();
      for (const database of [mainDatabase, journalDatabase]) await root.query(`DROP DATABASE IF EXISTS ${database}`);
      if (grantsEnforced) for (const role of DB_ROLES) await root.query(`DROP USER IF EXISTS '${mainDatabase}_${role}'@'%'`);
      await root.close();
    },
  };
}
