import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { scanFile, scanRow } from '../canary';
import type { Needle } from '../canary-needles';
import type { SystemUnderTest } from './system';

/** Shorter secrets cannot be told from chance. */
const SECRET_CHARS_MIN = 16;

/** Every secret of the system by the place where it lies: what may be found nowhere else. */
export async function secretsOf({ local }: SystemUnderTest): Promise<ReadonlyMap<string, string>> {
  const { secrets } = local.layout;
  const files = (await readdir(secrets, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const found = new Map<string, string>();
  for (const entry of files) {
    const path = join(entry.parentPath, entry.name);
    const text = (await readFile(path, 'utf8')).trimEnd();
    if (text.length >= SECRET_CHARS_MIN) found.set(path.slice(secrets.length + 1), text);
  }
  return found;
}

/** Every cell of every table of both databases. */
export async function scanDatabases({ sql, databases }: SystemUnderTest, needles: readonly Needle[]): Promise<readonly string[]> {
  const tables = [
    ...MAIN_TABLES.map(({ name }) => `${databases.main}.${name}`),
    ...JOURNAL_TABLES.map(({ name }) => `${databases.journal}.${name}`),
  ];
  const found: string[] = [];
  for (const table of tables) {
    for (const row of await sql(`SELECT * FROM ${table}`)) {
      found.push(...scanRow(row, needles).map(({ column, form }) => `${form} in ${table}.${column}`));
    }
  }
  return found;
}

/** Every file of the system but its secrets: logs, the provider's ledger, the supervisor's own files. */
export async function scanFiles({ local }: SystemUnderTest, needles: readonly Needle[]): Promise<readonly string[]> {
  const { home, secrets } = local.layout;
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found: string[] = [];
  for (const file of files.filter((path) => !path.startsWith(secrets))) {
    found.push(...(await scanFile(file, needles)).map(({ form }) => `${form} in ${file.slice(home.length + 1)}`));
  }
  return found;
}
