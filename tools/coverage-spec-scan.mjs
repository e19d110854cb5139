import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.nx', '.connector']);
const ROW = /^[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+$/;
const CITATION = /\b(?:con|cat):[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g;

/** Every spec file below `root`, in a fixed order. */
export function specFiles(root) {
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory()) walk(join(folder, entry.name));
      else if (entry.name.endsWith('.spec.ts')) found.push(join(folder, entry.name));
    }
  };
  walk(root);
  return found.sort();
}

function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map((span) => `\${…}${span.literal.text}`).join('');
  return undefined;
}

const isBody = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** `it('title', () => …)` and whatever is called like it: a title first, a function after. */
function blockOf(node) {
  if (!ts.isCallExpression(node) || node.arguments.length < 2) return undefined;
  const title = textOf(node.arguments[0]);
  const body = node.arguments.find(isBody);
  return title === undefined || body === undefined ? undefined : { title, body };
}

/** Constants of a spec by name: a table is often declared beside its test. */
function constantsOf(source) {
  const found = new Map();
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) found.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * The rows that a table-driven test names in its table, written there or in a constant that it names: `it.each([['con:PRE-01', …]])`. Where
 * the title has the prefix, `… (con:%s)`, the table has the rows without it.
 */
function tableRows(node, title, constants) {
  const rows = [];
  const callee = node.expression;
  if (!ts.isCallExpression(callee)) return rows;
  const prefixed = /\b(con|cat):(%s|\$[a-z]+)/i.exec(title)?.[1];
  const seen = new Set();
  const visit = (inner) => {
    if (ts.isStringLiteralLike(inner)) {
      rows.push(...(inner.text.match(CITATION) ?? []));
      if (prefixed && ROW.test(inner.text)) rows.push(`${prefixed}:${inner.text}`);
    }
    if (ts.isIdentifier(inner) && constants.has(inner.text) && !seen.has(inner.text)) {
      seen.add(inner.text);
      visit(constants.get(inner.text));
    }
    ts.forEachChild(inner, visit);
  };
  callee.arguments.forEach(visit);
  return rows;
}

/** The tests of one spec: full title, and the rows that it cites, exact ids only. */
export function testsOf(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const tests = [];
  const visit = (node, titles, rows) => {
    const block = blockOf(node);
    if (block === undefined) {
      let inside = 0;
      ts.forEachChild(node, (child) => {
        inside += visit(child, titles, rows);
      });
      return inside;
    }
    const here = [...titles, block.title];
    const cited = [...rows, ...(block.title.match(CITATION) ?? []), ...tableRows(node, block.title, constants)];
    if (visit(block.body, here, cited) === 0) tests.push({ file: name, title: here.join(' › '), rows: [...new Set(cited)] });
    return 1;
  };
  visit(source, [], []);
  return tests;
}

/** Tests by the row that they cite, over all specs below `root`. */
export function citations(root) {
  const byRow = new Map();
  for (const file of specFiles(root)) {
    for (const test of testsOf(relative(root, file), readFileSync(file, 'utf8'))) {
      for (const row of test.rows) byRow.set(row, [...(byRow.get(row) ?? []), { file: test.file, title: test.title }]);
    }
  }
  return byRow;
}
