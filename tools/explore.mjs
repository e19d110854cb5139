#!/usr/bin/env node
/**
 * `npm run explore`: runs the real doors against each other in every order of their statements, and hunts every planted fault.
 * `-- --group <part of a name>` takes some groups, `--whole N` runs a group whole up to N schedules (5,000 unless said), `--seed N` makes a run
 * again, `--json` prints the report, `--engine=<choice>` another engine.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { step } from './progress.mjs';
import { main, Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const OPTIONS = {
  group: { type: 'string' },
  seed: { type: 'string' },
  whole: { type: 'string' },
  engine: { type: 'string' },
  json: { type: 'boolean' },
};

await main(async () => {
  const { group, seed, whole, engine: forced, json } = optionsOf(process.argv.slice(2));
  // What is printed for a program is the report alone.
  const say = json ? (line) => console.error(line) : (line) => console.log(line);
  await bootstrap();
  const { build } = await import('./build.mjs');
  await step('building', async () => (await build()) + (await build(['tests'])));
  const { openTestEngine, closeTestEngine } = await import('./engine.mjs');
  const found = await openTestEngine({ forced, onProgress: say });
  if (found.kind === 'none') throw new Refusal(found.reason);
  try {
    process.env.CONNECTOR_TEST_DATABASE = found.text;
    return told(await explore({ group, seed, whole, say }), say, json);
  } finally {
    await closeTestEngine(found.engine);
  }
});

function optionsOf(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    for (const name of ['seed', 'whole'])
      if (values[name] !== undefined && !/^[1-9][0-9]{0,8}$/.test(values[name])) throw new Refusal(`--${name} is a whole number from 1`);
    return values;
  } catch (error) {
    throw new Refusal(error.message);
  }
}

function explore({ group, seed, whole, say }) {
  const { runExplorer } = require(join(root, 'dist/tests/explorer/run.js'));
  const { GROUPS } = require(join(root, 'dist/tests/explorer/groups.js'));
  const { seedOf } = require(join(root, 'dist/libs/testing/src/system/random.js'));
  if (group !== undefined && !GROUPS.some(({ name }) => name.includes(group)))
    throw new Refusal(`no group has ${group} in its name; there are\n${GROUPS.map(({ name }) => `  ${name}`).join('\n')}`);
  const narrowed = { ...(group === undefined ? {} : { only: group }), ...(whole === undefined ? {} : { whole: Number(whole) }) };
  return runExplorer({ seed: seed === undefined ? seedOf() : Number(seed), sampled: false, say, ...narrowed });
}

function told(report, say, json) {
  const { engine, seed, groups, mutants, failures, seconds } = report;
  const sum = (key) => groups.reduce((total, group) => total + group[key], 0);
  for (const failure of failures) say(`FAILED ${failure}`);
  say(
    `${groups.length} groups, ${sum('schedules')} schedules, ${sum('reduced')} but for steps that commute, blocked ${sum('blocked')}, commits ${sum('commits')}`,
  );
  say(`${mutants.filter(({ found }) => found.length > 0).length} of ${mutants.length} mutants found; ${failures.length} failures`);
  say(`on ${engine}, seed ${seed}, in ${Math.round(seconds)} s`);
  if (json) console.log(JSON.stringify(report, null, 1));
  return failures.length === 0 ? 0 : 1;
}
