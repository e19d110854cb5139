import type { DatabaseKind } from '@connector/kernel/revisions';
import { readSecretFile } from '@connector/platform/secrets/secret-file';
import { MIGRATIONS } from '@connector/schema/migrations/migrations';
import { applyMigrations, type Say } from './apply';
import type { MigrateConfig } from './config';
import { makeUsers, type Place } from './users';

/** Databases, tables, users, grants, in this order; every part may be run again and again (con:INV-22). */
export async function migrate(config: MigrateConfig, say: Say): Promise<void> {
  const places = await placesOf(config);
  await applyMigrations(places.main.login, places.main.database, MIGRATIONS.main, say);
  await applyMigrations(places.journal.login, places.journal.database, MIGRATIONS.journal, say);
  await makeUsers(places, { user: config.databaseUser, passwordFile: config.databasePasswordFile }, say);
}

async function placesOf(config: MigrateConfig): Promise<Readonly<Record<DatabaseKind, Place>>> {
  const password = (await readSecretFile(config.adminPasswordFile)).toString('utf8').trimEnd();
  const login = { host: config.databaseHost, port: config.databasePort, user: config.adminUser, password };
  const journal = { ...login, host: config.journalHost ?? login.host, port: config.journalPort ?? login.port };
  return { main: { login, database: config.databaseName }, journal: { login: journal, database: config.journalName } };
}
