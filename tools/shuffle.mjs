#!/usr/bin/env node
/**
 * `npm run shuffle`: 10,000 changes of 500 records in random order, with doubles, in random batches, over three ingress processes; then the same
 * in order on a second system, and whether the application saw and kept the same. `-- --seed N` makes a run again, `--changes N` and
 * `--records N` another size, `--json` prints the report, `--engine=<choice>` another engine.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onEngine, options } from './engine-run.mjs';
import { main, Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const CHANGES = 10_000;
const RECORDS = 500;

await main(async () => {
  const given = options({ whole: ['seed', 'changes', 'records'], text: ['engine'], flags: ['json'] });
  const { seed, changes = CHANGES, records = RECORDS, engine, json } = given;
  if (records < 2 || changes < 2 * records)
    throw new Refusal('--records is 2 at least, and --changes twice that: else nothing has an order');
  // What is printed for a program is the report alone.
  const say = json ? (line) => console.error(line) : (line) => console.log(line);
  return onEngine(engine, (found) => run(found, { changes, records }, { seed, say, json }), say);
});

async function run({ kind, version }, size, { seed: asked, say, json }) {
  const part = (name) => require(join(root, 'dist/libs/testing/src/system', name));
  const { runShuffle } = part('shuffle/shuffle-run.js');
  const { summaryOf, voidOf, wrongOf } = part('shuffle/report.js');
  const seed = asked ?? part('random.js').seedOf();
  say(`shuffle run: seed ${seed}`);
  const began = performance.now();
  const ended = await runShuffle(size, seed, say);
  const findings = [...wrongOf(ended), ...(voidOf(ended) === undefined ? [] : [voidOf(ended)])];
  for (const finding of findings) say(`FOUND ${finding}`);
  for (const line of summaryOf(ended)) say(line);
  const seconds = Math.round((performance.now() - began) / 1_000);
  say(`on ${kind} ${version}, seed ${seed}, in ${seconds} s with the starts of both systems; ${findings.length} findings`);
  if (json) console.log(JSON.stringify(reportOf(ended, { engine: `${kind} ${version}`, seed, seconds, findings }), null, 1));
  return findings.length === 0 ? 0 : 1;
}

/** The numbers of both runs, and of their content how many rows were compared. */
function reportOf({ shuffled, ordered, ...run }, facts) {
  const half = ({ content, ...counts }) => {
    const compared = Object.fromEntries(Object.entries(content).map(([name, rows]) => [name, rows.length]));
    return { ...counts, compared };
  };
  return { ...facts, ...run, shuffled: half(shuffled), ordered: half(ordered) };
}
