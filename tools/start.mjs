#!/usr/bin/env node
/** `npm start`: makes the checkout able to run, builds it and runs everything on this machine. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { step } from './progress.mjs';
import { exitCode, main, onEndAsked, Refusal, root } from './run.mjs';

const AGAIN_MS = 2_000;

await main(async () => {
  await bootstrap();
  const { build } = await import('./build.mjs');
  await step('building', () => build());
  const program = join(root, 'dist/apps/local/src/main.js');
  if (!existsSync(program)) throw new Refusal(`${program} was not built: apps/local/src/main.ts is missing`);
  return runLocal(program);
});

/**
 * In a process group of its own: Ctrl-C in a terminal goes to a whole group, and npm passes it on once more. Here it arrives any number of
 * times and is passed on once; a person who insists two seconds later is heard again.
 */
function runLocal(program) {
  const child = spawn(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    detached: true,
  });
  let passedOn = -AGAIN_MS;
  const passOn = (signal) => {
    if (performance.now() - passedOn < AGAIN_MS) return;
    passedOn = performance.now();
    child.kill(signal);
  };
  onEndAsked(passOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(exitCode(code, signal)));
  });
}
