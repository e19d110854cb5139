/** The cases of the public record: which a test cites by its id, which wait and for what, which of this issue are neither. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { specFiles, testsOf } from './coverage-spec-scan.mjs';

const CITATION = /\bPUB-[A-Z]+-\d\d\b/g;
const areaOf = (id) => id.split('-')[1];

/** Tests by the case that their title cites. */
function citedCases(root) {
  const byCase = new Map();
  for (const file of specFiles(root)) {
    for (const { title } of testsOf(relative(root, file), readFileSync(file, 'utf8')))
      for (const id of new Set(title.match(CITATION) ?? []))
        byCase.set(id, [...(byCase.get(id) ?? []), { file: relative(root, file), title }]);
  }
  return byCase;
}

/** covered: a test cites it · part: covered, and a part waits · later: waits whole · open: of this issue and neither · elsewhere: of no concern yet */
function stateOf(tests, wait, inScope) {
  if (tests.length > 0) return wait === undefined ? 'covered' : 'part';
  if (wait !== undefined) return 'later';
  return inScope ? 'open' : 'elsewhere';
}

export function casesReport(root) {
  const { issue, areas, cases, waits } = JSON.parse(readFileSync(join(root, 'docs', 'spec', 'cases.json'), 'utf8'));
  const cited = citedCases(root);
  const rows = Object.entries(cases).map(([id, text]) => {
    const tests = cited.get(id) ?? [];
    return { id, text, state: stateOf(tests, waits[id], areas.includes(areaOf(id))), waits: waits[id] ?? '', tests };
  });
  const unknown = [...new Set([...cited.keys(), ...Object.keys(waits)])].filter((id) => cases[id] === undefined).sort();
  const totals = Object.fromEntries(
    ['covered', 'part', 'later', 'open'].map((state) => [
      state,
      rows.filter((row) => row.state === state && areas.includes(areaOf(row.id))).length,
    ]),
  );
  return { issue, areas, rows, unknown, totals };
}

const SIGN = { covered: '+', part: '±', later: '…', open: '!', elsewhere: ' ' };

export function printCases({ issue, areas, rows, unknown, totals }, all) {
  for (const row of rows.filter(({ state }) => all || state !== 'elsewhere')) {
    console.log(`${SIGN[row.state]} ${row.id} ${row.text}`);
    if (row.waits !== '') console.log(`    waits: ${row.waits}`);
    for (const test of row.tests) console.log(`    ${test.file}: ${test.title}`);
  }
  console.log('\n+ covered   ± covered, a part waits   … waits   ! of this issue and neither');
  const parts = `${totals.covered} covered + ${totals.part} in part + ${totals.later} later + ${totals.open} neither`;
  console.log(`issue ${issue}, ${areas.join(' ')}: ${parts}`);
  for (const id of unknown) console.error(`no such case: ${id}`);
}
