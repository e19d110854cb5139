import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { keptFolder } from '@connector/services/kept/src/kept-folder';
import { CliFailure, EXIT } from './exit';

/** What was published and set here. */
export const KEPT = basename(keptFolder(''));

/** What `npm start` keeps in its folder. Anything else is somebody's own, and the folder then is no home of ours. */
const OURS = new Set([
  'engine',
  'broker',
  'secrets',
  'logs',
  'provider-simulator',
  KEPT,
  'run.json',
  'platform.json',
  'local.json',
  'local.lock',
  'supervisor.jsonl',
]);

/** What `npm test` keeps beside them: neither wiped nor in the way. */
const OF_TESTS = new Set(['test', 'test-broker', 'test-summary.json']);

/** Deletes our files of this folder but those that are spared, and nothing else; the names that went. */
export async function wipeHome(home: string, spared: readonly string[]): Promise<readonly string[]> {
  const names = (await readdir(home).catch(() => [])).filter((name) => !OF_TESTS.has(name));
  const foreign = names.filter((name) => !OURS.has(name));
  if (foreign.length > 0) {
    throw new CliFailure(EXIT.refused, [
      `Not wiped: ${home} holds ${foreign.join(', ')}, which npm start did not make.`,
      '  Do       move it away, or set CONNECTOR_HOME to the folder that is meant',
    ]);
  }
  const wiped = names.filter((name) => !spared.includes(name)).toSorted();
  for (const name of wiped) await rm(join(home, name), { recursive: true, force: true });
  return wiped;
}
