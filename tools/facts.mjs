#!/usr/bin/env node
/** `npm run facts`: writes docs/FACTS.md and docs/machines/ from the tables of the code. Needs no engine. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { step } from './progress.mjs';
import { main, root } from './run.mjs';

const require = createRequire(import.meta.url);
const PICTURES = 'docs/machines';

await main(async () => {
  await bootstrap();
  const { build } = await import('./build.mjs');
  await step('building', () => build());
  const { generatedDocuments } = require(join(root, 'dist/libs/testing/src/facts/generated.js'));
  const documents = await generatedDocuments();
  mkdirSync(join(root, PICTURES), { recursive: true });
  for (const name of readdirSync(join(root, PICTURES))) {
    if (!documents.has(`${PICTURES}/${name}`)) rmSync(join(root, PICTURES, name));
  }
  for (const [path, text] of documents) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  console.log(`wrote ${documents.size} files: docs/FACTS.md and ${PICTURES}/`);
  return 0;
});
