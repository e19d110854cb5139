#!/usr/bin/env node
/**
 * `npm run crash`: kills the real process at every point of every door, and audits the three ledgers each time everything has come to rest.
 * `-- --seed N` makes a run again, `--door <name>`, as often as wanted, takes the points of these doors, `--points N` a sample, `--engine=<choice>` another engine.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { step } from './progress.mjs';
import { main, onEndAsked, Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const OPTIONS = {
  seed: { type: 'string' },
  door: { type: 'string', multiple: true },
  points: { type: 'string' },
  engine: { type: 'string' },
};

await main(async () => {
  const { seed, door: doors = [], points, engine: forced } = optionsOf(process.argv.slice(2));
  await bootstrap();
  const { build } = await import('./build.mjs');
  await step('building', () => build());
  const { openTestEngine, closeTestEngine } = await import('./engine.mjs');
  const found = await openTestEngine({ forced, onProgress: (line) => console.log(line) });
  if (found.kind === 'none') throw new Refusal(found.reason);
  try {
    console.log(`engine: ${found.engine.kind} ${found.engine.version} (${found.engine.source})`);
    process.env.CONNECTOR_TEST_DATABASE = found.text;
    return await run(seed, doors, points);
  } finally {
    await closeTestEngine(found.engine);
  }
});

function optionsOf(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    const number = (name) => (values[name] === undefined ? undefined : wholeOf(name, values[name]));
    return { ...values, seed: number('seed'), points: number('points') };
  } catch (error) {
    throw new Refusal(error.message);
  }
}

function wholeOf(name, text) {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Refusal(`--${name} is a whole number from 1`);
  return Number(text);
}

async function run(seed, doors, count) {
  const part = (name) => require(join(root, 'dist/libs/testing/src/system', name));
  const { runMatrix } = part('crash/matrix.js');
  const { DOORS, samplePoints } = part('crash/points.js');
  const { seedOf } = part('random.js');
  const unknown = doors.find((door) => !DOORS.some(({ name }) => name === door));
  if (unknown !== undefined) throw new Refusal(`no door is called ${unknown}; there are ${DOORS.map(({ name }) => name).join(', ')}`);
  const choose = (points, random) => {
    const those = doors.length === 0 ? points : points.filter(({ door }) => doors.includes(door));
    return count === undefined ? those : samplePoints(those, count, random);
  };
  const ending = new AbortController();
  onEndAsked(() => ending.abort());
  const matrix = await runMatrix({ seed: seed ?? seedOf(), choose, say: (line) => console.log(line), signal: ending.signal });
  return told(matrix);
}

function told({ generated, tabled, asked, reached, missed, unmet, findings, seconds }) {
  console.log(`${unmet.length} conditional points that no scenario met:${unmet.map((name) => `\n  ${name}`).join('')}`);
  for (const name of missed) console.log(`NOT REACHED ${name}`);
  for (const finding of findings) console.log(`FOUND ${finding}`);
  console.log(`generated ${generated}, in the tables ${tabled}; asked ${asked}, reached ${reached.length}, in ${Math.round(seconds)} s`);
  console.log(`${missed.length} not reached, ${findings.length} findings`);
  return generated === tabled && missed.length === 0 && findings.length === 0 ? 0 : 1;
}
