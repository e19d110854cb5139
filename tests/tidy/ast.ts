import ts from 'typescript';
import type { Source } from './repo';

const parsed = new WeakMap<Source, ts.SourceFile>();

export function treeOf(file: Source): ts.SourceFile {
  const held = parsed.get(file);
  if (held !== undefined) return held;
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  parsed.set(file, tree);
  return tree;
}

export function eachNode(root: ts.Node, visit: (node: ts.Node) => void): void {
  visit(root);
  ts.forEachChild(root, (child) => eachNode(child, visit));
}

export function linesOf(node: ts.Node, tree: ts.SourceFile): number {
  return tree.getLineAndCharacterOfPosition(node.getEnd()).line - tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

const isFunctionValue = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

/** Named functions and methods; a callback counts inside its parent. */
export function namedFunctions(file: Source): { name: string; lines: number }[] {
  const tree = treeOf(file);
  const found: { name: string; lines: number }[] = [];
  eachNode(tree, (node) => {
    const held = (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && isFunctionValue(node.initializer);
    const declared =
      (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node)) && node.body !== undefined;
    if (!held && !declared) return;
    const name = ts.isConstructorDeclaration(node) ? 'constructor' : ((node as ts.NamedDeclaration).name?.getText(tree) ?? 'default');
    found.push({ name, lines: linesOf(node, tree) });
  });
  return found;
}

function titleText(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
  return undefined;
}

/** The words of the table of `it.each(table)(title, …)`. */
function tableWords(call: ts.CallExpression): string[] {
  const words: string[] = [];
  if (ts.isCallExpression(call.expression)) {
    for (const argument of call.expression.arguments) {
      eachNode(argument, (node) => {
        if (ts.isStringLiteralLike(node)) words.push(node.text);
      });
    }
  }
  return words;
}

/** Full titles of the tests of a spec, `describe › it`; a title that begins with a placeholder stands once for every word of its table. */
export function titlesOf(file: Source): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node, above: readonly string[]): boolean => {
    if (ts.isCallExpression(node)) {
      const title = titleText(node.arguments[0]);
      const body = node.arguments.find((argument) => isFunctionValue(argument));
      if (title !== undefined && body !== undefined) {
        const words = /^(%s|\$[a-z]+)/i.test(title) ? tableWords(node) : [];
        const all = [title, ...words.map((word) => title.replace(/^(%s|\$[a-z]+)/i, word))];
        const before = titles.length;
        for (const one of all) if (!visit(body, [...above, one]) || titles.length === before) titles.push([...above, one].join(' › '));
        return true;
      }
    }
    let inside = false;
    ts.forEachChild(node, (child) => {
      inside = visit(child, above) || inside;
    });
    return inside;
  };
  visit(treeOf(file), []);
  return titles;
}

/** Local name -> module and exported name, of value imports and type imports alike. */
export function importsOf(file: Source): Map<string, { from: string; name: string }> {
  const found = new Map<string, { from: string; name: string }>();
  for (const statement of treeOf(file).statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    for (const element of bindings.elements) {
      found.set(element.name.text, { from: statement.moduleSpecifier.text, name: (element.propertyName ?? element.name).text });
    }
  }
  return found;
}

/** The path in the repository that an import of ours means, without its extension; undefined for packages. */
export function resolveImport(from: string, specifier: string): string | undefined {
  const inside = /^@connector\/(services|shipped-packs)\/(.*)$/.exec(specifier);
  if (inside) return `libs/${inside[1]}/${inside[2]}`;
  const lib = /^@connector\/([^/]+)\/(.*)$/.exec(specifier);
  if (lib) return `libs/${lib[1]}/src/${lib[2]}`;
  if (!specifier.startsWith('.')) return undefined;
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
