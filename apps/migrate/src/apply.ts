import { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import { type Ask, withConnection } from '@connector/platform/engine/connect';
import type { Login } from '@connector/platform/engine/engine';
import { checksumOf, type Migration } from '@connector/schema/migrations/migration';
import type { MigrationPlan } from '@connector/schema/migrations/migrations';
import { proveFences } from './prove-fences';
import { errnoOf, text } from './sql';

/** How long a second migrator waits for the first, seconds. */
const WAIT_S = 60;
const LOCK_WAIT_TIMEOUT = 1205;

export type Say = (line: string) => void;

/**
 * Brings one database to the last revision that this code knows. A second migrator waits at the row of revision 0, which the first one holds
 * over a connection of its own: DDL commits by itself, so no transaction could carry both. Whoever dies loses that connection and with it the
 * row, and the next one runs the unfinished revision again. Before anything is made the engine proves that it keeps locks and comparisons:
 * no service starts on a schema that migrate did not leave.
 */
export async function applyMigrations(login: Login, database: string, plan: MigrationPlan, say: Say): Promise<void> {
  await withConnection(login, async (ask) => {
    await openDatabase(ask, database);
    for (const statement of plan.bootstrap) await ask(statement);
    await makeRow(ask, plan.table);
    await withConnection(login, async (hold) => {
      await hold(`USE ${database}`);
      await take(hold, plan.table, WAIT_S);
      await ask(`SET SESSION innodb_lock_wait_timeout = ${WAIT_S}`);
      await proveFences(hold, ask, plan.table).catch((error: unknown) => busy(error));
      await take(hold, plan.table, WAIT_S);
      await applyMissing(ask, database, plan, say);
    });
  });
}

async function openDatabase(ask: Ask, database: string): Promise<void> {
  const [found] = await ask(`SELECT 1 FROM information_schema.schemata WHERE schema_name = ${text(database)}`);
  // Asked first: whoever was given a database may well lack the right to make one.
  if (found === undefined) await ask(`CREATE DATABASE IF NOT EXISTS ${database} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await ask(`USE ${database}`);
}

/** The row that migrators wait at. Looked for plainly: an INSERT that meets it would wait for whoever holds it, and lock it against others. */
async function makeRow(ask: Ask, table: string): Promise<void> {
  const [there] = await ask(`SELECT 1 FROM ${table} WHERE revision = 0`);
  const insert = `INSERT INTO ${table} (revision, name, breaking, checksum) VALUES (0, 'lock', 0, x'${'00'.repeat(32)}')`;
  if (there === undefined) await ask(insert).catch(unlessDuplicate);
}

function unlessDuplicate(error: unknown): void {
  if (errnoOf(error) !== 1062) throw error;
}

function busy(error: unknown, waited = WAIT_S): never {
  if (errnoOf(error) !== LOCK_WAIT_TIMEOUT) throw error;
  throw new InputFault('HOUSE:migrate:Busy', `another migrator has worked on this database for more than ${waited} s; end it first`);
}

/** Held until the connection ends; InputFault when another migrator holds it for longer than `waitSeconds`. */
export async function take(hold: Ask, table: string, waitSeconds: number): Promise<void> {
  await hold(`SET SESSION innodb_lock_wait_timeout = ${waitSeconds}`);
  await hold('START TRANSACTION');
  await hold(`SELECT revision FROM ${table} WHERE revision = 0 FOR UPDATE`).catch((error: unknown) => busy(error, waitSeconds));
}

async function applyMissing(ask: Ask, database: string, plan: MigrationPlan, say: Say): Promise<void> {
  const rows = await ask(`SELECT revision, name, HEX(checksum) FROM ${plan.table} WHERE revision > 0 ORDER BY revision LIMIT 10000`);
  const applied = new Map(rows.map(([revision = '', name = '', checksum = '']) => [Number(revision), { name, checksum }]));
  const last = plan.migrations.at(-1)?.revision ?? 0;
  for (const [revision, { name }] of applied) {
    if (revision > last)
      throw new InputFault(
        'HOUSE:migrate:Ahead',
        `${database} has revision ${revision} (${name}); this code knows ${last}: use a newer release`,
      );
  }
  for (const migration of plan.migrations) {
    const done = applied.get(migration.revision);
    if (done === undefined) await apply(ask, database, plan.table, migration, say);
    else refuseOther(database, migration, done.checksum);
  }
  say(`${database} is at revision ${last}`);
}

function refuseOther(database: string, migration: Migration, checksum: string): void {
  const { revision, name } = migration;
  if (Digest.bytes(checksumOf(migration)).equals(Buffer.from(checksum, 'hex'))) return;
  throw new InputFault(
    'HOUSE:migrate:OtherBytes',
    `${database} has a revision ${revision} made of other statements than ${name} of this code; a revision never changes. For a database of one's own machine: npx connector dev reset`,
  );
}

/** The row comes last: a revision that is recorded is whole. */
async function apply(ask: Ask, database: string, table: string, migration: Migration, say: Say): Promise<void> {
  const { revision, name, breaking, statements } = migration;
  say(`${database}: revision ${revision} ${name}, ${statements.length} statements`);
  for (const statement of statements) await ask(statement);
  const checksum = Digest.bytes(checksumOf(migration)).toString('hex');
  await ask(
    `INSERT INTO ${table} (revision, name, breaking, checksum) VALUES (${revision}, ${text(name)}, ${Number(breaking)}, x'${checksum}')`,
  );
}
