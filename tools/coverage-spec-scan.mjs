import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.nx', '.connector']);
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

/** The rows that a table-driven test names in its table: `it.each([['con:PRE-01', …]])('%s …', …)`. */
function tableRows(node) {
  const rows = [];
  const callee = node.expression;
  if (!ts.isCallExpression(callee)) return rows;
  const visit = (inner) => {
    if (ts.isStringLiteralLike(inner)) rows.push(...(inner.text.match(CITATION) ?? []));
    ts.forEachChild(inner, visit);
  };
  callee.arguments.forEach(visit);
  return rows;
}

/** The tests of one spec: full title, and the rows that it cites, exact ids only. */
export function testsOf(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
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
    const cited = [...rows, ...(block.title.match(CITATION) ?? []), ...tableRows(node)];
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
