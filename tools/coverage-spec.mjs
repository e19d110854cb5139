#!/usr/bin/env node
/**
 * Which requirement rows a test cites, which wait for a later path, and which rows of this issue are neither.
 *
 *   npm run coverage:spec              sections with something to say
 *   npm run coverage:spec -- --all     every section, the rows that nobody cites too
 *   npm run coverage:spec -- --json    the same as data
 *   npm run coverage:spec -- --cases   the cases of the public record instead of the rows
 *   npm run coverage:spec -- --strict  exit 1 while a row of this issue is neither proven nor later
 *
 * Exit 1 when a title cites a row or a case that does not exist.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { casesReport, printCases } from './coverage-cases.mjs';
import { citations } from './coverage-spec-scan.mjs';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    cases: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    root: { type: 'string', default: join(dirname(fileURLToPath(import.meta.url)), '..') },
  },
});
const root = resolve(flags.root);
const read = (name) => JSON.parse(readFileSync(join(root, 'docs', 'spec', name), 'utf8'));

/** proven: a test cites it · part: proven, and a part waits · later: waits whole · open: of this issue and neither · elsewhere: of no concern yet */
function stateOf(tests, wait, inScope) {
  if (tests.length > 0) return wait?.part ? 'part' : 'proven';
  if (wait !== undefined && !wait.part) return 'later';
  return inScope ? 'open' : 'elsewhere';
}

function report() {
  const scope = read('scope.json');
  const later = read('later.json');
  const inScope = new Set(Object.values(scope.groups).flat());
  const cited = citations(root);
  const known = new Set();
  const sections = [];
  for (const [matrix, { sections: parts }] of Object.entries(read('rows.json'))) {
    for (const part of parts) {
      const rows = Object.entries(part.rows).map(([name, text]) => {
        const id = `${matrix}:${name}`;
        known.add(id);
        const tests = cited.get(id) ?? [];
        const wait = later.rows[id];
        const state = stateOf(tests, wait, inScope.has(id));
        return {
          id,
          text,
          proof: part.proof[name],
          state,
          inScope: inScope.has(id),
          waits: wait?.waits ?? [],
          why: wait?.why ?? '',
          tests,
        };
      });
      sections.push({ matrix, title: part.title, rows });
    }
  }
  const unknown = [...new Set([...cited.keys(), ...inScope, ...Object.keys(later.rows)])].filter((id) => !known.has(id)).sort();
  const unnamed = Object.values(later.rows).flatMap((row) => row.waits.filter((code) => later.paths[code] === undefined));
  return { issue: scope.issue, paths: later.paths, sections, unknown: [...unknown, ...unnamed], totals: totalsOf(sections) };
}

function totalsOf(sections) {
  const rows = sections.flatMap((section) => section.rows);
  const count = (list, state) => list.filter((row) => row.state === state).length;
  const mine = rows.filter((row) => row.inScope);
  return {
    rows: rows.length,
    cited: rows.filter((row) => row.tests.length > 0).length,
    scope: mine.length,
    proven: count(mine, 'proven'),
    part: count(mine, 'part'),
    later: count(mine, 'later'),
    open: count(mine, 'open'),
  };
}

const SIGN = { proven: '+', part: '±', later: '…', open: '!', elsewhere: ' ' };

function printRow(row, paths) {
  const waits = row.waits.length > 0 ? `  waits for ${row.waits.map((code) => `${code} (${paths[code]})`).join(', ')}: ${row.why}` : '';
  console.log(`  ${SIGN[row.state]} ${row.id.padEnd(14)} ${row.proof.padEnd(5)} ${row.text}`);
  if (waits) console.log(`      ${waits.trim()}`);
  for (const test of row.tests) console.log(`      ${test.file}: ${test.title}`);
}

function print({ sections, paths, totals, unknown, issue }) {
  for (const section of sections) {
    const shown = section.rows.filter((row) => flags.all || row.state !== 'elsewhere');
    if (shown.length === 0) continue;
    console.log(`\n${section.matrix} · ${section.title}`);
    for (const row of shown) printRow(row, paths);
  }
  console.log(`\n+ proven   ± proven, a part waits   … waits for a later path   ! of issue ${issue} and neither`);
  console.log(`all rows: ${totals.cited} of ${totals.rows} are cited by a test`);
  console.log(
    `issue ${issue}: ${totals.scope} rows = ${totals.proven} proven + ${totals.part} proven in part + ${totals.later} later + ${totals.open} neither`,
  );
  for (const id of unknown) console.error(`no such row or path: ${id}`);
}

const result = flags.cases ? casesReport(root) : report();
if (flags.json) console.log(JSON.stringify(result, null, 2));
else if (flags.cases) printCases(result, flags.all);
else print(result);
process.exitCode = result.unknown.length > 0 || (flags.strict && result.totals.open > 0) ? 1 : 0;
