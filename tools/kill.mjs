#!/usr/bin/env node
/**
 * `npm run kill`: 200 webhooks through a whole system whose services are killed forty times, and the audit of its three ledgers, once a seed.
 * `-- --seeds N` takes so many seeds (three where nothing is said), `--seed N` makes one run again, `--engine=<choice>` another engine.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onEngine, options } from './engine-run.mjs';
import { main, root } from './run.mjs';

const require = createRequire(import.meta.url);
const SEEDS = 3;

await main(async () => {
  const { seed, seeds, engine } = options({ whole: ['seed', 'seeds'], text: ['engine'] });
  return onEngine(engine, () => run(seed, seeds ?? SEEDS));
});

async function run(seed, count) {
  const part = (name) => require(join(root, 'dist/libs/testing/src/system', name));
  const { runKills, summaryOf, voidOf, wrongOf } = part('kill/kill-run.js');
  const { seedOf } = part('random.js');
  const seeds = seed === undefined ? Array.from({ length: count }, () => seedOf()) : [seed];
  let wrong = 0;
  for (const one of seeds) {
    console.log(`seed ${one}`);
    const ended = await runKills(one);
    const reasons = [...wrongOf(ended), ...(voidOf(ended) === undefined ? [] : [voidOf(ended)])];
    for (const reason of reasons) console.log(`FOUND ${reason}`);
    console.log(`seed ${one}: ${summaryOf(ended)}; ${reasons.length} findings`);
    wrong += reasons.length;
  }
  return wrong === 0 ? 0 : 1;
}
