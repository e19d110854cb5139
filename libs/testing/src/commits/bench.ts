import { Db } from '@connector/platform/db/db';
import { Pool } from '@connector/platform/db/pool';
import { MIGRATIONS } from '@connector/schema/migrations/migrations';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { journalSchema, mainSchema, type TestSchema } from '../database';
import { testDatabase } from '../engine';
import { CommitProxy } from './commit-proxy';
import type { Content } from './content';
import type { Site } from './cases/door-case';

const TABLES = { main: MAIN_TABLES, journal: JOURNAL_TABLES };
const KEPT: ReadonlySet<string> = new Set(Object.values(MIGRATIONS).map(({ table }) => table));
type Side = keyof typeof TABLES;

/** Both databases with a proxy before them. Arranging and looking go around the proxy; what is tried goes through it. */
export class Bench {
  /** `performance.now()` at each begin of a transaction that came through the proxy since the last `clear`. */
  begun: number[] = [];
  readonly #dbs: Readonly<Record<Side, Db>>;

  private constructor(
    readonly site: Site,
    readonly proxy: CommitProxy,
  ) {
    this.#dbs = { main: this.#through(site.main), journal: this.#through(site.journal) };
  }

  static async open(): Promise<Bench> {
    const [main, journal, proxy] = await Promise.all([mainSchema(), journalSchema(), CommitProxy.open()]);
    return new Bench({ main, journal }, proxy);
  }

  /** Through the proxy. */
  db(side: Side): Db {
    return this.#dbs[side];
  }

  async content(): Promise<Content> {
    const content = new Map<string, readonly Readonly<Record<string, unknown>>[]>();
    for (const [schema, table] of await this.#filled()) content.set(table, await schema.sql(`SELECT * FROM ${table}`));
    return content;
  }

  async clear(): Promise<void> {
    const filled = await this.#filled();
    // One durable commit a database: most of a trial is waiting for the disk.
    for (const schema of [this.site.main, this.site.journal]) {
      await schema.sql('START TRANSACTION');
      for (const [of, table] of filled) if (of === schema) await schema.sql(`DELETE FROM ${table}`);
      await schema.sql('COMMIT');
    }
    this.begun = [];
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#dbs).map((db) => db.close()));
    await this.proxy.close();
    await Promise.all([this.site.main, this.site.journal].map((schema) => schema.close()));
  }

  /** The tables that hold a row, by one statement a database: nearly all are empty nearly always. */
  async #filled(): Promise<readonly (readonly [TestSchema, string])[]> {
    const sides = (['main', 'journal'] as const).map(async (side) => {
      const schema = this.site[side];
      const names = TABLES[side].map(({ name }) => name).filter((name) => !KEPT.has(name));
      const rows = await schema.sql(names.map((name) => `(SELECT '${name}' AS name FROM ${name} LIMIT 1)`).join(' UNION ALL '));
      return rows.map((row) => [schema, String(row['name'])] as const);
    });
    return (await Promise.all(sides)).flat();
  }

  #through({ database }: TestSchema): Db {
    const { user, password } = testDatabase();
    const pool = new Pool({ host: '127.0.0.1', port: this.proxy.port, user, password, database, size: 4 });
    return new Db({ pool, hook: ({ step }) => (step === 'begin' ? void this.begun.push(performance.now()) : undefined) });
  }
}
