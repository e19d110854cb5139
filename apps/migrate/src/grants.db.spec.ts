import type { DatabaseKind } from '@connector/kernel/revisions';
import { DB_ROLES, type DbRole } from '@connector/kernel/roles';
import type { Table } from '@connector/kernel/table';
import { type Ask, withConnection } from '@connector/platform/engine/connect';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { testDatabase } from '@connector/testing/engine';
import { privilegesOf, type Verb } from './grants';
import { migrate } from './migrate';
import { scratch, type Scratch } from './scratch.fixture';
import { errnoOf } from './sql';

/** The statement of a cell meets no row and writes none, and the privilege it needs beside nothing else. */
const TRIES: Readonly<Record<string, { readonly needs: Verb | 'DELETE'; readonly sql: (table: string, column: string) => string }>> = {
  SELECT: { needs: 'SELECT', sql: (table, column) => `SELECT ${column} FROM ${table} WHERE 1 = 0` },
  INSERT: { needs: 'INSERT', sql: (table, column) => `INSERT INTO ${table} (${column}) VALUES (NULL)` },
  UPDATE: { needs: 'UPDATE', sql: (table, column) => `UPDATE ${table} SET ${column} = NULL WHERE 1 = 0` },
  DELETE: { needs: 'DELETE', sql: (table) => `DELETE FROM ${table} WHERE 1 = 0` },
  'locking read': { needs: 'SELECT', sql: (table, column) => `SELECT ${column} FROM ${table} WHERE 1 = 0 FOR UPDATE` },
};
/** 8121: TiDB's word for a privilege that a column of the statement lacks. */
const DENIED: ReadonlySet<number | undefined> = new Set([1142, 1143, 1044, 8121]);
/** NULL in a column that has none, a column without a default: the privilege was there. */
const ROW_REFUSED: ReadonlySet<number | undefined> = new Set([1048, 1364]);

let made: Scratch;
beforeAll(async () => {
  made = await scratch(testDatabase());
  await migrate(made.config, () => undefined);
});
afterAll(() => made.close());

/** Whether the user may; anything but an answer, a refused NULL and a refused privilege fails the test. */
async function tried(ask: Ask, sql: string): Promise<boolean> {
  try {
    await ask(sql);
    return true;
  } catch (error) {
    if (DENIED.has(errnoOf(error))) return false;
    if (ROW_REFUSED.has(errnoOf(error))) return true;
    throw error;
  }
}

async function cellsOf(role: DbRole, kind: DatabaseKind, tables: readonly Table[]): Promise<{ count: number; wrong: readonly string[] }> {
  const held = privilegesOf(role, kind);
  const database = kind === 'main' ? made.config.databaseName : made.config.journalName;
  const wrong: string[] = [];
  let count = 0;
  await withConnection(made.login(role), async (ask) => {
    await ask('START TRANSACTION');
    for (const { name, columns } of tables) {
      const column = Object.entries(columns).find(([, { nullable }]) => !nullable)?.[0] ?? '';
      for (const [what, { needs, sql }] of Object.entries(TRIES)) {
        const may = await tried(ask, sql(`${database}.${name}`, column));
        const should = needs !== 'DELETE' && held.get(name)?.has(needs) === true;
        if (may !== should) wrong.push(`${role} ${may ? 'may' : 'may not'} ${what} ${name}`);
        count += 1;
      }
    }
    await ask('ROLLBACK');
  });
  return { count, wrong };
}

describe('grants [needs grants]', () => {
  it('exactly: every user may do on every table what the doors and reads say, and nothing else (con:INV-04, con:INV-05)', async () => {
    let count = 0;
    const wrong: string[] = [];
    for (const role of DB_ROLES) {
      for (const [kind, tables] of [
        ['main', MAIN_TABLES],
        ['journal', JOURNAL_TABLES],
      ] as const) {
        const cells = await cellsOf(role, kind, tables);
        count += cells.count;
        wrong.push(...cells.wrong);
      }
    }
    console.log(
      `${count} cells of ${DB_ROLES.length} users, ${MAIN_TABLES.length + JOURNAL_TABLES.length} tables and ${Object.keys(TRIES).length} statements tried`,
    );
    expect(wrong).toEqual([]);
    expect(count).toBe(DB_ROLES.length * (MAIN_TABLES.length + JOURNAL_TABLES.length) * Object.keys(TRIES).length);
  }, 120_000);

  it('taken back: a right that no door gives is gone after the next run, and one that was lost is there again', async () => {
    const { databaseName } = made.config;
    const user = made.config.databaseUser.replace('{role}', 'ingress');
    await withConnection(made.admin, async (ask) => {
      await ask(`GRANT DELETE, UPDATE ON ${databaseName}.con_receipt TO '${user}'@'%'`);
      await ask(`REVOKE INSERT ON ${databaseName}.con_receipt FROM '${user}'@'%'`);
    });
    expect((await cellsOf('ingress', 'main', MAIN_TABLES)).wrong).toEqual([
      'ingress may not INSERT con_receipt',
      'ingress may UPDATE con_receipt',
      'ingress may DELETE con_receipt',
    ]);
    await migrate(made.config, () => undefined);
    expect((await cellsOf('ingress', 'main', MAIN_TABLES)).wrong).toEqual([]);
  });

  it('lockable: every user that may read has LOCK TABLES, which some engines ask for on a locking read of what one may not update', async () => {
    const { databaseName, databaseUser } = made.config;
    for (const role of DB_ROLES) {
      const lines = await withConnection(made.admin, (ask) => ask(`SHOW GRANTS FOR '${databaseUser.replace('{role}', role)}'@'%'`));
      expect(lines.flat().some((line) => line.includes('LOCK TABLES') && line.includes(databaseName))).toBe(true);
    }
  });

  it('nothing: no user may create, alter or drop anything (con:INV-22)', async () => {
    for (const role of DB_ROLES) {
      await withConnection(made.login(role), async (ask) => {
        const { databaseName } = made.config;
        const ddl = [
          `CREATE TABLE ${databaseName}.x (a INT)`,
          `ALTER TABLE ${databaseName}.con_receipt ADD COLUMN x INT`,
          `DROP TABLE ${databaseName}.con_receipt`,
        ];
        for (const sql of ddl) expect(await tried(ask, sql)).toBe(false);
      });
    }
  });
});
