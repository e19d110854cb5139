#!/usr/bin/env node
/** The command `connector`: builds what is stale, then is the command itself, in this process; it sets its own exit code. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { main, packaged, Refusal, root } from './run.mjs';

await main(async () => {
  if (!existsSync(packaged('.connector-lock')))
    throw new Refusal('the packages are not installed yet: npm start (or: node tools/bootstrap.mjs)');
  const { build } = await import('./build.mjs');
  await build();
  const program = join(root, 'dist/apps/cli/src/main.js');
  if (!existsSync(program)) throw new Refusal(`${program} was not built: apps/cli/src/main.ts is missing`);
  createRequire(import.meta.url)(program);
});
