#!/usr/bin/env node
/**
 * `npm run bench`: what the product costs against the bare thing and against itself, each ratio within one run, as a table.
 * `-- --only a,b` takes some groups, `--seconds N` measures each line so long (10), `--history N` keeps so many finished executions (1,000,000),
 * `--seed N` makes the moments of a run again, `--json` prints the report, `--strict` fails where a target is missed, `--engine=<choice>`
 * another engine.
 */
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { onEngine, options } from './engine-run.mjs';
import { main, Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const SECONDS = 10;
const HISTORY = 1_000_000;
const HISTORY_MIN = 1_000;

await main(async () => {
  const given = options({ whole: ['seconds', 'history', 'seed'], text: ['only', 'engine'], flags: ['json', 'strict'] });
  const { only, seconds = SECONDS, history = HISTORY, seed, engine, json, strict } = given;
  if (history < HISTORY_MIN) throw new Refusal(`--history is ${HISTORY_MIN} at least: that is what it is compared with`);
  // What is printed for a program is the report alone.
  const say = json ? (line) => console.error(line) : (line) => console.log(line);
  return onEngine(engine, () => run({ only, seconds, history, seed, say }, json, strict), say);
});

async function run({ only, seed, ...rest }, json, strict) {
  const part = (name) => require(join(root, 'dist/libs/testing/src', name));
  const { GROUPS, tableOf } = part('bench/line.js');
  const { runBench } = part('bench/run.js');
  const { seedOf } = part('system/random.js');
  const chosen = only === undefined ? GROUPS : only.split(',');
  const unknown = chosen.find((group) => !GROUPS.includes(group));
  if (unknown !== undefined) throw new Refusal(`no group is called ${unknown}; there are ${GROUPS.join(', ')}`);
  const report = await runBench({ ...rest, only: chosen, seed: seed ?? seedOf(), brokerDir: join(root, '.connector', 'test-broker') });
  const missed = report.lines.filter(({ met }) => met === false);
  if (json) console.log(JSON.stringify({ ...report, cores: cpus().length }, null, 1));
  else told(report, missed.length, tableOf);
  const broken = report.lines.some(({ kind }) => kind === 'failed');
  return broken || (strict && missed.length > 0) ? 1 : 0;
}

function told({ engine, durability, node, seed, lines }, missed, tableOf) {
  const set = Object.entries(durability).map(([name, value]) => `${name}=${value}`);
  console.log(`\n${tableOf(lines)}\n`);
  console.log(`on ${engine}, ${set.join(', ')}`);
  console.log(`Node ${node}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), seed ${seed}`);
  const targets = lines.filter(({ target }) => target !== undefined).length;
  console.log(`${targets} targets, ${missed} missed`);
}
