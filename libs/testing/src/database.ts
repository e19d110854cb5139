import { randomBytes } from 'node:crypto';
import { REVISIONS, type DatabaseKind } from '@connector/kernel/revisions';
import type { Table } from '@connector/kernel/table';
import { openAdmin, type Admin } from '@connector/platform/db/admin';
import { Db } from '@connector/platform/db/db';
import { Pool } from '@connector/platform/db/pool';
import type { StepHook } from '@connector/platform/db/step-hook';
import { createTable } from '@connector/schema/ddl';
import { MIGRATIONS } from '@connector/schema/migrations/migrations';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { testDatabase } from './engine';

/** A schema of its own for one spec file: every table, no rows, one user; dropped by `close`. */
export interface TestSchema {
  readonly db: Db;
  readonly database: string;
  /** Plain SQL for arranging and asserting; never part of what is tested. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** A further `Db` on the same schema, with a step hook, to interleave with the first. */
  another(hook?: StepHook): Db;
  /** One that waits for a lock one second at most. */
  impatient(): Db;
  /** Empties every table. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** A schema of these tables alone, for a spec that brings its own. */
export function openSchemaOf(tables: readonly unknown[]): Promise<TestSchema> {
  return openSchema('main', tables as readonly Table[], 'con_own');
}

async function openSchema(kind: DatabaseKind, tables: readonly Table[], prefix: string): Promise<TestSchema> {
  const { host, port, user, password } = await testDatabase();
  const database = `${prefix}_${randomBytes(6).toString('hex')}`;
  const root = await openAdmin({ host, port, user, password });
  await root.query(`CREATE DATABASE ${database} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await root.query(`USE ${database}`);
  for (const table of tables) await root.query(createTable(table));
  if (tables.some(({ name }) => name === MIGRATIONS[kind].table)) await declareRevisions(root, kind);
  const opened: Pool[] = [];
  const open = (hook?: StepHook, lockWaitSeconds = 3): Db => {
    const pool = new Pool({ host, port, user, password, database, size: 8, lockWaitSeconds });
    opened.push(pool);
    return new Db({ pool, ...(hook ? { hook } : {}) });
  };
  return {
    db: open(),
    database,
    another: (hook) => open(hook),
    impatient: () => open(undefined, 1),
    sql: (text, values = []) => root.query(text, values),
    reset: async () => {
      for (const { name } of tables) if (name !== MIGRATIONS[kind].table) await root.query(`DELETE FROM ${name}`);
    },
    close: async () => {
      await Promise.all(opened.map((pool) => pool.close()));
      await root.query(`DROP DATABASE ${database}`);
      await root.close();
    },
  };
}

/** What migrate leaves behind: a service that boots on this schema finds the revisions that its code was written for. */
async function declareRevisions(root: Admin, kind: DatabaseKind): Promise<void> {
  for (const { revision, name, breaking } of REVISIONS[kind]) {
    const columns = '(revision, name, breaking, checksum)';
    await root.query(`INSERT INTO ${MIGRATIONS[kind].table} ${columns} VALUES (?, ?, ?, ?)`, [revision, name, breaking, Buffer.alloc(32)]);
  }
}

export const mainSchema = (): Promise<TestSchema> => openSchema('main', MAIN_TABLES, 'con_test');
export const journalSchema = (): Promise<TestSchema> => openSchema('journal', JOURNAL_TABLES, 'jrn_test');
