/** For whoever runs jest by hand: an engine is there when a test of the run needs one. `npm test` brings its own. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './run.mjs';

const { NEEDS_DATABASE } = createRequire(import.meta.url)('./test-needs.cjs');

export default async function (globalConfig) {
  if (process.env.CONNECTOR_TEST_DATABASE || process.env.CONNECTOR_TEST_DATABASE_ABSENT || !needsDatabase(globalConfig)) return;
  const { openTestEngine } = await import('./engine.mjs');
  const found = await openTestEngine();
  if (found.kind === 'none') {
    process.env.CONNECTOR_TEST_DATABASE_ABSENT = found.reason.split('\n')[0];
    return;
  }
  process.env.CONNECTOR_TEST_DATABASE = found.text;
  globalThis.connectorTestEngine = found.engine;
}

function needsDatabase({ testPathPatterns, nonFlagArgs = [] }) {
  const patterns = (testPathPatterns?.patterns ?? nonFlagArgs).map((pattern) => new RegExp(pattern, 'i'));
  return ['apps', 'libs', 'tests'].some((folder) =>
    readdirSync(join(root, folder), { recursive: true }).some((name) => {
      const file = join(root, folder, name);
      return NEEDS_DATABASE.test(file) && (patterns.length === 0 || patterns.some((pattern) => pattern.test(file)));
    }),
  );
}
