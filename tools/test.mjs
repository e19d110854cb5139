#!/usr/bin/env node
/** `npm test`: verify, then every test on one engine. Further arguments go to jest. The last line is `N passed, N failed, N skipped`. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { step } from './progress.mjs';
import { holdInterrupts, main, packaged, root, run, takeFlag } from './run.mjs';
import { verify } from './verify.mjs';

const summaryFile = join(root, '.connector/test-summary.json');
/** Suites that start whole systems of processes: each has the machine to itself, after everything else. */
const WHOLE_SYSTEMS = ['tests/system/', 'tests/crash/', 'libs/services/local/src/start-local.db.spec.ts'];

/** They take minutes and have commands of their own. */
const ON_REQUEST = ['tests/wakes/', 'tests/faults/', 'tests/publications/'];

const NOTHING_RAN = { passed: 0, failed: 1, skipped: 0, reasons: {} };

await main(async () => {
  const interrupted = holdInterrupts();
  const summary = await testAll(process.argv.slice(2), interrupted).catch((error) => ({ ...NOTHING_RAN, error }));
  if (summary.error !== undefined)
    console.error(
      summary.error.stack === undefined || summary.error.constructor.name === 'Refusal' ? summary.error.message : summary.error,
    );
  for (const [reason, count] of Object.entries(summary.reasons)) console.log(`skipped ${count}: ${reason}`);
  console.log(`${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`);
  return interrupted() ?? (summary.failed > 0 || summary.passed === 0 ? 1 : 0);
});

async function testAll(given, interrupted) {
  const [skipVerify, args] = takeFlag(given, '--no-verify');
  await bootstrap();
  if (!skipVerify && !(await verify())) return NOTHING_RAN;
  const { build } = await import('./build.mjs');
  await step('building', () => build());
  if (interrupted() !== undefined) return NOTHING_RAN;
  return onEngine(args, interrupted);
}

async function onEngine(given, interrupted) {
  const { openTestEngine, waitForNoDisk, closeTestEngine } = await import('./engine.mjs');
  const forced = given.find((arg) => arg.startsWith('--engine='))?.slice('--engine='.length);
  const found = await openTestEngine({ forced, onProgress: (line) => console.log(line) });
  if (found.kind === 'none') {
    console.log(found.reason);
    return jest(given, { CONNECTOR_TEST_DATABASE_ABSENT: found.reason.split('\n')[0] });
  }
  const { engine, text } = found;
  try {
    console.log(`engine: ${engine.kind} ${engine.version} (${engine.source}) on ${engine.host}:${engine.port}`);
    for (const warning of engine.warnings) console.log(`  note: ${warning}`);
    await waitForNoDisk(engine);
    return interrupted() === undefined ? await jest(given, { CONNECTOR_TEST_DATABASE: text }) : NOTHING_RAN;
  } finally {
    await closeTestEngine(engine);
  }
}

/** Tidy was run by verify. With arguments jest is run once, as they say. */
async function jest(given, env) {
  const args = given.filter((arg) => !arg.startsWith('--engine='));
  const workers = args.includes('--runInBand') ? [] : ['--maxWorkers=2'];
  if (args.length > 0) return jestRun([...workers, ...args], ['tests/tidy/'], env);
  const parts = await jestRun(['--maxWorkers=2'], ['tests/tidy/', ...WHOLE_SYSTEMS, ...ON_REQUEST], env);
  const systems = await jestRun(['--runInBand', ...WHOLE_SYSTEMS], ['tests/tidy/'], env);
  return {
    passed: parts.passed + systems.passed,
    failed: parts.failed + systems.failed,
    skipped: parts.skipped + systems.skipped,
    reasons: added(parts.reasons, systems.reasons),
  };
}

async function jestRun(args, ignored, env) {
  mkdirSync(join(root, '.connector'), { recursive: true, mode: 0o700 });
  rmSync(summaryFile, { force: true });
  const fixed = ['--testPathIgnorePatterns', '/node_modules/', ...ignored, '--reporters=default', '--reporters=./tools/jest-summary.cjs'];
  const { code } = await run(process.execPath, [packaged('jest/bin/jest.js'), ...args, ...fixed], {
    env: { ...env, CONNECTOR_TEST_SUMMARY: summaryFile },
  });
  const summary = existsSync(summaryFile) ? JSON.parse(readFileSync(summaryFile, 'utf8')) : NOTHING_RAN;
  // Jest may fail for what is no test: its own settings, or a hook that ends after the last test.
  return code !== 0 && summary.failed === 0 ? { ...summary, failed: 1 } : summary;
}

function added(one, other) {
  const reasons = { ...one };
  for (const [reason, count] of Object.entries(other)) reasons[reason] = (reasons[reason] ?? 0) + count;
  return reasons;
}
