import ts from 'typescript';
import { parseStep } from '@connector/kernel/paths';
import { eachNode, importsOf, resolveImport, treeOf } from '../ast';
import type { Model, OwnedTable } from '../model';
import { isProduction, type Source } from '../repo';

const PREFIX: Readonly<Record<string, string>> = {
  connector: 'con_',
  catalog: 'cat_',
  packs: 'pck_',
  runtime: 'run_',
  control: 'ctl_',
  security: 'sec_',
  artifacts: 'art_',
  journal: 'jrn_',
};
/** The journal stands in a database of its own; the connector's doors write it (decisions 4). */
const HOME: Readonly<Record<string, string>> = { journal: 'connector' };
/** Read by every service at its start, before it has any door or read. */
const READ_AT_START = new Set(['con_schema_revision', 'jrn_schema_revision']);
const homeOf = (table: OwnedTable): string => HOME[table.owner] ?? table.owner;

/** Tables that no door writes: the migrator does, before any service may start. */
const WRITTEN_BY_MIGRATE = new Set(['con_service', 'jrn_service', 'con_schema_revision', 'jrn_schema_revision']);

/** A table's name begins with its owner's prefix, and stands in its owner's folder. */
export function misnamed(tables: readonly OwnedTable[]): string[] {
  return tables
    .filter((one) => !one.table.name.startsWith(PREFIX[one.owner] ?? '?'))
    .map((one) => `${one.table.name} stands in libs/schema/src/${one.owner}`);
}

function tablesOf(steps: readonly string[]): string[] {
  return steps.map((step) => parseStep(step).table);
}

/** Strings and imports of a file that mean a table. */
function mentions(file: Source, tables: readonly OwnedTable[]): OwnedTable[] {
  const imported = new Set<string>();
  for (const { from, name } of importsOf(file).values()) {
    if (resolveImport(file.path, from)?.startsWith('libs/schema/src/')) imported.add(name);
  }
  const words = new Set<string>();
  eachNode(treeOf(file), (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) {
      for (const word of node.text.split(/[^a-z0-9_]+/)) words.add(word);
    }
  });
  return tables.filter((one) => imported.has(one.constant) || words.has(one.table.name));
}

/** A table is spoken of by its owner, by the schema and by the migrator; by another owner only where a row of its paths lists it. */
export function foreignTables({ paths, tables }: Model, files: readonly Source[]): string[] {
  const wrong: string[] = [];
  for (const file of files.filter((one) => isProduction(one.path) && !/^(libs\/schema|apps\/migrate)\//.test(one.path))) {
    const lib = /^libs\/([a-z]+)\/src\/(?:model|fences|transitions|reads)\//.exec(file.path)?.[1];
    const listed = new Set(paths.filter((path) => path.owner === lib).flatMap((path) => tablesOf(path.steps)));
    for (const one of mentions(file, tables)) {
      const own = file.path.startsWith(`libs/${homeOf(one)}/`);
      if (!own && !listed.has(one.table.name)) wrong.push(`${file.path} speaks of ${one.table.name}, which is ${homeOf(one)}’s`);
    }
  }
  return wrong;
}

/** Every table that a path names exists. */
export function unknownTables({ paths, tables }: Model): string[] {
  const known = new Set(tables.map((one) => one.table.name));
  return paths.flatMap((path) =>
    tablesOf(path.steps)
      .filter((name) => !known.has(name))
      .map((name) => `${path.name} names ${name}, which is not declared`),
  );
}

/** Tables without a production writer. An owner without doors is left alone. */
export function unwritten({ doors, tables }: Model): string[] {
  const begun = new Set(doors.map((door) => door.owner));
  const written = new Set(
    doors.flatMap((door) => door.steps.filter((step) => step.verb === 'insert' || step.verb === 'update').map((step) => step.table)),
  );
  return tables
    .filter((one) => begun.has(homeOf(one)) && !written.has(one.table.name) && !WRITTEN_BY_MIGRATE.has(one.table.name))
    .map((one) => `${one.table.name} has no writer`);
}

/** Tables without a production reader: no path locks or reads them, and no read of their owner asks for them. An owner without reads is left alone. */
export function unread({ doors, tables }: Model, files: readonly Source[]): string[] {
  const reads = files.filter((file) => isProduction(file.path) && /^libs\/[a-z]+\/src\/(reads|fences)\//.test(file.path));
  const begun = new Set(reads.filter((file) => file.path.includes('/reads/')).map((file) => file.path.split('/')[1]));
  const met = new Set(
    doors.flatMap((door) => door.steps.filter((step) => step.verb === 'lock' || step.verb === 'read').map((step) => step.table)),
  );
  const asked = new Set(reads.flatMap((file) => mentions(file, tables).map((one) => one.table.name)));
  return tables
    .filter((one) => begun.has(homeOf(one)) && !met.has(one.table.name) && !asked.has(one.table.name) && !READ_AT_START.has(one.table.name))
    .map((one) => `${one.table.name} has no reader`);
}

/** DDL stands in the schema and in the migrator. */
export function ddlElsewhere(files: readonly Source[]): string[] {
  const DDL =
    /\b(CREATE|ALTER|DROP|TRUNCATE|RENAME)\s+(TABLE|INDEX|DATABASE|SCHEMA|USER|VIEW|TRIGGER|PROCEDURE)\b|\bGRANT\s+[A-Z, ]+\s+ON\b/;
  return files
    .filter((file) => isProduction(file.path) && !/^(libs\/schema|apps\/migrate|libs\/platform\/src\/engine)\//.test(file.path))
    .filter((file) => {
      let found = false;
      eachNode(treeOf(file), (node) => {
        if (
          (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) &&
          DDL.test(node.text)
        )
          found = true;
      });
      return found;
    })
    .map((file) => `${file.path} has DDL`);
}
