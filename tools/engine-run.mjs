/** What the proofs with a command of their own share: their options, and an engine with everything built. */
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { step } from './progress.mjs';
import { Refusal } from './run.mjs';

/** The options of this run by name: `whole` ones are numbers from 1, `text` ones as they are given, `several` lists, `flags` there or not. */
export function options({ whole, text, several = [], flags = [] }) {
  const known = Object.fromEntries(
    [...whole, ...text, ...several].map((name) => [name, { type: 'string', multiple: several.includes(name) }]),
  );
  for (const name of flags) known[name] = { type: 'boolean' };
  try {
    const { values } = parseArgs({ args: process.argv.slice(2), options: known });
    const numbers = whole.filter((name) => values[name] !== undefined).map((name) => [name, wholeOf(name, values[name])]);
    return { ...values, ...Object.fromEntries(numbers) };
  } catch (error) {
    throw new Refusal(error.message);
  }
}

function wholeOf(name, text) {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Refusal(`--${name} is a whole number from 1`);
  return Number(text);
}

/** Builds, finds the engine, names it, and runs `work` on it; the engine is stopped whatever happens. `say` gets what it tells. */
export async function onEngine(forced, work, say = (line) => console.log(line)) {
  await bootstrap();
  const { build } = await import('./build.mjs');
  await step('building', () => build());
  const { openTestEngine, closeTestEngine } = await import('./engine.mjs');
  const found = await openTestEngine({ forced, onProgress: say });
  if (found.kind === 'none') throw new Refusal(found.reason);
  try {
    say(`engine: ${found.engine.kind} ${found.engine.version} (${found.engine.source})`);
    process.env.CONNECTOR_TEST_DATABASE = found.text;
    return await work(found.engine);
  } finally {
    await closeTestEngine(found.engine);
  }
}
