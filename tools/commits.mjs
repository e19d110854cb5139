#!/usr/bin/env node
/**
 * `npm run commits`: cuts the connection of every door before COMMIT is forwarded, before it comes late, and before its answer, a hundred times
 * each, and compares rows and answer with those of an undisturbed run. `-- --seed N` makes a run again, `--door <name>`, as often as
 * wanted, takes these doors, `--times N` another number, `--engine=<choice>` another engine.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onEngine, options } from './engine-run.mjs';
import { main, onEndAsked, Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const TIMES = 100;

await main(async () => {
  const { seed, door: doors = [], times, engine } = options({ whole: ['seed', 'times'], text: ['engine'], several: ['door'] });
  return onEngine(engine, (name) => run(name, seed, doors, times ?? TIMES));
});

async function run(engine, seed, doors, times) {
  const part = (name) => require(join(root, 'dist/libs/testing/src', name));
  const { runCommits } = part('commits/run.js');
  const { CASES, unmatched } = part('commits/cases/all-cases.js');
  const { Random, seedOf } = part('system/random.js');
  const known = new Set(CASES.map((one) => one.door));
  const unknown = doors.find((door) => !known.has(door));
  if (unknown !== undefined) throw new Refusal(`no door is called ${unknown}; there are ${[...known].join(', ')}`);
  const cases = doors.length === 0 ? CASES : CASES.filter((one) => doors.includes(one.door));
  const ending = new AbortController();
  onEndAsked(() => ending.abort(new Refusal('ended before it was over')));
  const chosen = seed ?? seedOf();
  console.log(`unknown COMMIT: seed ${chosen}, ${cases.length} cases, each kind of cut at least ${times} times a door`);
  const commits = await runCommits({ random: new Random(chosen), times, cases, say: (line) => console.log(line), signal: ending.signal });
  return told(engine, commits, unmatched());
}

function told(engine, { trials, doors, cuts, overlapped, findings, seconds }, without) {
  for (const finding of [...without, ...findings]) console.log(`FOUND ${finding}`);
  const counts = Object.entries(trials).map(([kind, count]) => `${count} ${kind}`);
  console.log(
    `${doors.size} doors on ${engine.kind} ${engine.version}: ${counts.join(', ')}; ${cuts} COMMITs cut, in ${Math.round(seconds)} s`,
  );
  console.log(`of the late ones ${overlapped} came after the next try had begun`);
  console.log(`${findings.length} findings`);
  return findings.length === 0 && without.length === 0 ? 0 : 1;
}
