import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CliFailure, EXIT } from './exit';

/** What `npm start` keeps in its folder. Anything else is somebody's own, and the folder then is no home of ours. */
const OURS = new Set([
  'engine',
  'broker',
  'secrets',
  'logs',
  'provider-simulator',
  'run.json',
  'platform.json',
  'local.json',
  'local.lock',
  'supervisor.jsonl',
]);

/** What `npm test` keeps beside them: neither wiped nor in the way. */
const OF_TESTS = new Set(['test', 'test-broker', 'test-summary.json']);

/** Deletes our files of this folder and nothing else; the names that were there. */
export async function wipeHome(home: string): Promise<readonly string[]> {
  const names = (await readdir(home).catch(() => [])).filter((name) => !OF_TESTS.has(name));
  const foreign = names.filter((name) => !OURS.has(name));
  if (foreign.length > 0) {
    throw new CliFailure(EXIT.refused, [
      `Not wiped: ${home} holds ${foreign.join(', ')}, which npm start did not make.`,
      '  Do       move it away, or set CONNECTOR_HOME to the folder that is meant',
    ]);
  }
  for (const name of names) await rm(join(home, name), { recursive: true, force: true });
  return names.toSorted();
}
