import { createHash, randomBytes } from 'node:crypto';
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

const DATABASE_KINDS = Object.keys(MIGRATIONS) as DatabaseKind[];

/** A schema for one spec file alone: every table, no rows, one user; given back by `close`. */
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

/** A schema of these tables alone, made and dropped, for a spec that brings its own or changes them. */
export async function openSchemaOf(tables: readonly unknown[]): Promise<TestSchema> {
  const root = await openRoot();
  const database = `con_own_${randomBytes(6).toString('hex')}`;
  await makeSchema(root, database, tables as readonly Table[]);
  return testSchema(root, database, tables as readonly Table[], `DROP DATABASE ${database}`);
}

/**
 * Whole schemas are kept from file to file: the DDL of a hundred tables takes longer than most files. A lock of the session that uses one
 * says that it is taken; whoever finds one free empties it, since its last user may have been killed. Those that are free are dropped
 * when the engine of the run is closed.
 */
export async function borrowSchema(kind: DatabaseKind, tables: readonly Table[]): Promise<TestSchema> {
  const root = await openRoot();
  const shape = createHash('sha256').update(ddlOf(tables)).digest('hex').slice(0, 12);
  for (let number = 1; ; number += 1) {
    const database = `con_test_${kind}_${shape}_${number}`;
    const [lock] = await root.query('SELECT GET_LOCK(?, 0) AS taken', [database]);
    if (String(lock?.['taken']) !== '1') continue;
    if (!(await isWhole(root, database, tables))) await makeSchema(root, database, tables);
    return testSchema(root, database, tables, `DO RELEASE_LOCK('${database}')`);
  }
}

const ddlOf = (tables: readonly Table[]): string => tables.map(createTable).join(';\n');

async function openRoot(): Promise<Admin> {
  const { host, port, user, password } = testDatabase();
  return openAdmin({ host, port, user, password, multipleStatements: true });
}

async function isWhole(root: Admin, database: string, tables: readonly Table[]): Promise<boolean> {
  const [found] = await root.query('SELECT COUNT(*) AS tables FROM information_schema.tables WHERE table_schema = ?', [database]);
  return Number(found?.['tables']) === tables.length;
}

async function makeSchema(root: Admin, database: string, tables: readonly Table[]): Promise<void> {
  await root.query(`DROP DATABASE IF EXISTS ${database}`);
  await root.query(`CREATE DATABASE ${database} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await root.query(`USE ${database}`);
  await root.query(ddlOf(tables));
}

async function testSchema(root: Admin, database: string, tables: readonly Table[], atEnd: string): Promise<TestSchema> {
  const { host, port, user, password } = testDatabase();
  const opened: Pool[] = [];
  const open = (hook?: StepHook, lockWaitSeconds = 3): Db => {
    const pool = new Pool({ host, port, user, password, database, size: 8, lockWaitSeconds });
    opened.push(pool);
    return new Db({ pool, ...(hook ? { hook } : {}) });
  };
  const kind = DATABASE_KINDS.find((one) => tables.some(({ name }) => name === MIGRATIONS[one].table));
  const rows = tables.filter(({ name }) => kind === undefined || name !== MIGRATIONS[kind].table);
  // One round trip: a hundred of them take longer than what most tests do.
  const emptied = rows.map(({ name }) => `DELETE FROM ${name}`).join(';\n');
  const reset = async (): Promise<void> => {
    if (emptied !== '') await root.query(emptied);
  };
  await root.query(`USE ${database}`);
  await reset();
  if (kind !== undefined) await declareRevisions(root, kind);
  return {
    db: open(),
    database,
    another: (hook) => open(hook),
    impatient: () => open(undefined, 1),
    sql: (text, values = []) => root.query(text, values),
    reset,
    close: async () => {
      await Promise.all(opened.map((pool) => pool.close()));
      await root.query(atEnd);
      await root.close();
    },
  };
}

/** What migrate leaves behind: a service that boots on this schema finds the revisions that its code was written for. */
async function declareRevisions(root: Admin, kind: DatabaseKind): Promise<void> {
  const { table } = MIGRATIONS[kind];
  await root.query(`DELETE FROM ${table}`);
  for (const { revision, name, breaking } of REVISIONS[kind]) {
    const columns = '(revision, name, breaking, checksum)';
    await root.query(`INSERT INTO ${table} ${columns} VALUES (?, ?, ?, ?)`, [revision, name, breaking, Buffer.alloc(32)]);
  }
}

export const mainSchema = (): Promise<TestSchema> => borrowSchema('main', MAIN_TABLES);
export const journalSchema = (): Promise<TestSchema> => borrowSchema('journal', JOURNAL_TABLES);
