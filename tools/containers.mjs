/** Whether a container engine answers, by the product's own look: exit 0, or 1 and why not on a line. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from './build.mjs';
import { main, root } from './run.mjs';

await main(async () => {
  await build(['libs/platform/src/containers']);
  const { lookForEngine } = createRequire(import.meta.url)(join(root, 'dist/libs/platform/src/containers/look.js'));
  const look = await lookForEngine(process.env);
  if (look.kind === 'silent') console.log(look.why);
  return look.kind === 'answers' ? 0 : 1;
});
