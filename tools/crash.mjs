#!/usr/bin/env node
/**
 * `npm run crash`: kills the real process at every point of every door, and audits the three ledgers each time everything has come to rest.
 * `-- --seed N` makes a run again, `--door <name>`, as often as wanted, takes the points of these doors, `--rounds N` a sample, `--engine=<choice>` another engine.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onEngine, options } from './engine-run.mjs';
import { main, onEndAsked, Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);

const ending = new AbortController();

await main(async () => {
  const { seed, door: doors = [], rounds, engine } = options({ whole: ['seed', 'rounds'], text: ['engine'], several: ['door'] });
  return onEngine(engine, () => run(seed, doors, rounds)).catch((error) => {
    throw ending.signal.aborted ? new Refusal(error.message) : error;
  });
});
// What was begun still waits for services that are gone.
if (ending.signal.aborted) process.exit();

async function run(seed, doors, rounds) {
  const part = (name) => require(join(root, 'dist/libs/testing/src/system', name));
  const { runMatrix } = part('crash/matrix.js');
  const { DOORS } = part('crash/points.js');
  const { sampleRounds } = part('crash/plan.js');
  const { seedOf } = part('random.js');
  const unknown = doors.find((door) => !DOORS.some(({ name }) => name === door));
  if (unknown !== undefined) throw new Refusal(`no door is called ${unknown}; there are ${DOORS.map(({ name }) => name).join(', ')}`);
  const choose = (points, random) => {
    const those = doors.length === 0 ? points : points.filter(({ door }) => doors.includes(door));
    return rounds === undefined ? those : sampleRounds(those, rounds, random);
  };
  onEndAsked(() => ending.abort());
  const matrix = await runMatrix({ seed: seed ?? seedOf(), choose, say: (line) => console.log(line), signal: ending.signal });
  return told(matrix);
}

function told({ generated, tabled, asked, reached, missed, notLed, findings, compared, seconds }) {
  console.log(`${notLed.length} points to which no running system is led:${notLed.map((line) => `\n  ${line}`).join('')}`);
  for (const line of missed) console.log(`NOT REACHED ${line}`);
  for (const finding of findings) console.log(`FOUND ${finding}`);
  console.log(`generated ${generated}, in the tables ${tabled}; asked ${asked}, reached ${reached.length}, in ${Math.round(seconds)} s`);
  console.log(`${compared} organizations compared with an undisturbed one`);
  console.log(`${missed.length} not reached, ${findings.length} findings`);
  return generated === tabled && missed.length === 0 && findings.length === 0 ? 0 : 1;
}
