import ts from 'typescript';
import { eachNode, importsOf, resolveImport, treeOf } from './ast';
import type { OwnedTable } from './model';
import type { Source } from './repo';

/** Which argument of a statement maker is the label. */
const LABEL_AT: Readonly<Record<string, number>> = { lockRows: 3, readRows: 3, readQuery: 3, updateRows: 2 };
const VERB: Readonly<Record<string, string>> = { lockRows: 'lock', readRows: 'read', readQuery: 'read', updateRows: 'update' };
const INSERTS = new Set(['insert', 'insertNew', 'insertRaced']);

/** What one top-level declaration makes, and which names it uses. */
interface Declaration {
  readonly statements: readonly string[];
  readonly uses: readonly string[];
}

/** Statement names by what the code says, found from a file over the functions that it really uses. */
export class StatementFinder {
  readonly #files: ReadonlyMap<string, Source>;
  readonly #tables: ReadonlyMap<string, string>;
  readonly #declarations = new Map<string, ReadonlyMap<string, Declaration>>();

  constructor(files: readonly Source[], tables: readonly OwnedTable[]) {
    this.#files = new Map(files.map((file) => [file.path.replace(/\.ts$/, ''), file]));
    this.#tables = new Map(tables.map((one) => [one.constant, one.table.name]));
  }

  /** Every statement that the declarations of `file` reach, or those of these names, through imports of owners. */
  reachedFrom(file: Source, names: readonly string[] = [...this.#of(file).keys()]): ReadonlySet<string> {
    const found = new Set<string>();
    const seen = new Set<string>();
    const queue = names.map((name) => ({ file, name }));
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const key = `${next.file.path}#${next.name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const declaration = this.#of(next.file).get(next.name);
      for (const statement of declaration?.statements ?? []) found.add(statement);
      for (const used of declaration?.uses ?? []) queue.push(...this.#where(next.file, used));
    }
    return found;
  }

  #where(file: Source, name: string): { file: Source; name: string }[] {
    if (this.#of(file).has(name)) return [{ file, name }];
    const imported = importsOf(file).get(name);
    const path = imported && resolveImport(file.path, imported.from);
    const target = path === undefined ? undefined : this.#files.get(path);
    const owned = target !== undefined && /^libs\/[a-z]+\/src\/(fences|transitions|reads)\//.test(target.path);
    return owned && imported ? [{ file: target, name: imported.name }] : [];
  }

  #of(file: Source): ReadonlyMap<string, Declaration> {
    const held = this.#declarations.get(file.path);
    if (held !== undefined) return held;
    const found = new Map<string, Declaration>();
    for (const statement of treeOf(file).statements) {
      for (const name of namesOf(statement)) found.set(name, this.#read(statement));
    }
    this.#declarations.set(file.path, found);
    return found;
  }

  #read(root: ts.Node): Declaration {
    const statements: string[] = [];
    const uses: string[] = [];
    eachNode(root, (node) => {
      if (ts.isIdentifier(node)) uses.push(node.text);
      if (!ts.isCallExpression(node)) return;
      const statement = this.#made(node);
      if (statement !== undefined) statements.push(statement);
    });
    return { statements, uses };
  }

  #made(call: ts.CallExpression): string | undefined {
    const callee = call.expression;
    const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : ts.isIdentifier(callee) ? callee.text : '';
    const first = call.arguments[0];
    const table = first !== undefined && ts.isIdentifier(first) ? this.#tables.get(first.text) : undefined;
    if (table === undefined) return undefined;
    if (INSERTS.has(name) && ts.isPropertyAccessExpression(callee)) return `insert ${table}`;
    const verb = VERB[name];
    if (verb === undefined) return undefined;
    const label = call.arguments[LABEL_AT[name] ?? -1];
    return label !== undefined && ts.isStringLiteralLike(label) && label.text !== ''
      ? `${verb} ${table}#${label.text}`
      : `${verb} ${table}`;
  }
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap((one) => (ts.isIdentifier(one.name) ? [one.name.text] : []));
  }
  const named = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return named && statement.name !== undefined ? [statement.name.text] : [];
}
