import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DB_ROLES, type DbRole } from '@connector/kernel/roles';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { PLAIN_READS } from './plain-reads';

const ROOT = resolve(__dirname, '../../..');
const TABLES = [...MAIN_TABLES, ...JOURNAL_TABLES].map(({ name }) => name);
const SERVICE: Readonly<Record<DbRole, string>> = {
  ingress: 'ingress',
  claimant: 'execution-claimant',
  runtime: 'runtime',
  dispatcher: 'outbound-dispatcher',
  egress: 'egress-adapter',
  coordinator: 'cutover-coordinator',
  verifier: 'cutover-coordinator',
  control: 'control',
  catalog: 'catalog',
  packs: 'catalog',
  artifacts: 'catalog',
  security: 'runtime',
  operator: 'operator',
};

const constantOf = (table: string): string => table.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The files that a file imports values from. A type alone reads nothing. */
function importsOf(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)';/gm);
  return [...found].flatMap(([, from = '']) => {
    const path = from.startsWith('.') ? join(dirname(file), from) : pathOf(from);
    return path !== undefined && existsSync(`${path}.ts`) ? [`${path}.ts`] : [];
  });
}

function pathOf(name: string): string | undefined {
  const [, lib, rest] = /^@connector\/([a-z]+)\/(.+)$/.exec(name) ?? [];
  if (lib === undefined || rest === undefined) return undefined;
  return join(ROOT, 'libs', lib, lib === 'services' ? '' : 'src', rest);
}

const isService = (file: string): boolean => file.includes('/libs/services/');
const isRead = (file: string): boolean => /\/libs\/[a-z]+\/src\/reads\//.test(file);

/** Every `reads/` file that the code of a service comes to, over its own files and those of shared services, but not through doors. */
function readsOf(service: string): ReadonlySet<string> {
  const folder = join(ROOT, 'libs/services', service, 'src');
  const queue = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
    .map((name) => join(folder, name));
  const seen = new Set(queue);
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const next of importsOf(file).filter((one) => (isService(one) || isRead(one)) && !seen.has(one))) {
      seen.add(next);
      queue.push(next);
    }
  }
  return new Set([...seen].filter(isRead));
}

/** Tables that a file of reads names, as words of its SQL or as the declarations that it imports. */
function tablesIn(file: string): readonly string[] {
  const words = new Set(
    readFileSync(file, 'utf8')
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      .split(/[^A-Za-z0-9_]+/),
  );
  return TABLES.filter((table) => words.has(table) || words.has(constantOf(table)));
}

describe('plain reads', () => {
  it.each([...new Set(Object.values(SERVICE))])(
    'exactly: %s is given the tables that its reads name, and no other (con:INV-04)',
    (service) => {
      const wanted = new Set([...readsOf(service)].flatMap(tablesIn));
      const given = new Set(DB_ROLES.filter((role) => SERVICE[role] === service).flatMap((role) => PLAIN_READS[role]));
      expect([...given].toSorted()).toEqual([...wanted].toSorted());
    },
  );

  it('known: every table that is given is one of the catalog, once', () => {
    for (const role of DB_ROLES) {
      expect(PLAIN_READS[role].filter((table) => !TABLES.includes(table))).toEqual([]);
      expect(new Set(PLAIN_READS[role]).size).toBe(PLAIN_READS[role].length);
    }
  });
});
