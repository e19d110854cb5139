#!/usr/bin/env node
/** `npm run verify`: format, lint with boundaries, types and tidy. Needs no engine. Two at a time; after one that fails nothing more begins. */
import { bootstrap } from './bootstrap.mjs';
import { step } from './progress.mjs';
import { isProgram, main, packaged, run } from './run.mjs';

const NX = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true', CI: 'true' };

const checks = [
  { name: 'format', script: 'prettier/bin/prettier.cjs', args: ['--check', '.', '--log-level', 'warn'], help: 'npx prettier --write .' },
  // ESLint alone takes Nx's cached graph, and without one it skips the boundary rule on every file and exits 0.
  { name: 'graph', script: 'nx/dist/bin/nx.js', args: ['show', 'projects'], env: NX, help: 'npx nx show projects --verbose' },
  {
    name: 'lint',
    script: 'eslint/bin/eslint.js',
    args: ['.', '--cache', '--cache-location', '.nx/eslintcache', '--max-warnings', '0'],
    env: NX,
    forbidden: 'rule will be skipped',
    help: 'npx eslint . --fix, then what is left by hand',
  },
  {
    name: 'depcruise',
    script: 'dependency-cruiser/bin/dependency-cruise.mjs',
    args: ['--config', '.dependency-cruiser.cjs', 'apps', 'libs', 'tests', 'tools'],
    help: 'move the import to where the table of docs/HOUSE.md allows it',
  },
  { name: 'types', script: 'typescript7/bin/tsc', args: ['-p', 'tsconfig.json'], help: 'the lines above name file and line' },
  { name: 'tidy', script: 'jest/bin/jest.js', args: ['tests/tidy', '--maxWorkers=2'], help: 'npx jest tests/tidy' },
];

/** One after the other, beside the rest: each of these uses one core, and ESLint takes the graph that Nx leaves. */
const LONGEST = ['graph', 'lint'];

/** `true` when everything is in order. */
export async function verify() {
  await bootstrap();
  let ok = true;
  const inOrder = async (names) => {
    for (const check of checks.filter(({ name }) => names.includes(name))) if (ok) ok = (await passes(check)) && ok;
  };
  const rest = checks.map(({ name }) => name).filter((name) => !LONGEST.includes(name) && name !== 'tidy');
  await Promise.all([inOrder(LONGEST), inOrder(rest)]);
  await inOrder(['tidy']);
  return ok;
}

async function passes({ name, script, args, env, forbidden, help }) {
  const began = performance.now();
  const { code, output } = await step(`verify ${name}`, () => run(process.execPath, [packaged(script), ...args], { env, show: false }));
  const skippedRule = forbidden !== undefined && output.includes(forbidden);
  const ok = code === 0 && !skippedRule;
  if (!ok) console.error(output.trimEnd());
  console.log(`verify ${name.padEnd(10)}${ok ? 'ok' : 'FAILED'}  ${((performance.now() - began) / 1000).toFixed(1)} s`);
  if (skippedRule) console.error(`ESLint said "${forbidden}": the project graph was not there when it ran.`);
  if (!ok) console.error(`What helps: ${help}`);
  return ok;
}

if (isProgram(import.meta)) await main(async () => ((await verify()) ? 0 : 1));
