import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from '@connector/kernel/table';
import { createTable } from '../src/ddl';
import { JOURNAL_AREAS, MAIN_AREAS } from '../src/tables';

/**
 * Writes the first revision of both databases from the catalog: `node dist/libs/schema/tools/draft-revision.js libs/schema/src/migrations`.
 * Only until a release has applied it; from then on a change is a further revision, written by hand, and the drift test compares.
 */
function draft(target: string, database: string, areas: Readonly<Record<string, readonly Table[]>>): void {
  const folder = join(target, `${database}-0001-first-path`);
  mkdirSync(folder, { recursive: true });
  for (const [area, tables] of Object.entries(areas)) {
    const statements = tables.map((table) => `  \`${createTable(table).replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS')}\`,\n`);
    writeFileSync(
      join(folder, `${area}.ts`),
      `/** Frozen: what revision 1 made for this area. */\nexport const ${area} = [\n${statements.join('')}];\n`,
    );
  }
}

const [target = '.'] = process.argv.slice(2);
draft(target, 'main', MAIN_AREAS);
draft(target, 'journal', JOURNAL_AREAS);
