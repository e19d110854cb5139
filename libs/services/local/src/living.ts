import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CONFIG_PREFIX } from '@connector/platform/host/config-keys';
import { DefectFault } from '@connector/kernel/faults';
import type { GenerationId } from '@connector/kernel/ids';

const GONE_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 20;

/**
 * Processes of this user that were started under one of these generations, by what the kernel keeps of their start. It needs no pid that
 * somebody had to write down in time, and a stranger who got the pid is never met.
 */
export async function livingOf(generations: ReadonlySet<string>): Promise<ReadonlyMap<number, string>> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = await Promise.all(pids.map(async (pid): Promise<[number, string | undefined]> => [pid, await generationOf(pid)]));
  return new Map(
    found.flatMap(([pid, generation]): [number, string][] => (generation && generations.has(generation) ? [[pid, generation]] : [])),
  );
}

async function generationOf(pid: number): Promise<string | undefined> {
  const key = `${CONFIG_PREFIX}GENERATION=`;
  // Ended meanwhile, or of another user: none of ours either way. A zombie has no environment left.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return environment
    .split('\0')
    .find((entry) => entry.startsWith(key))
    ?.slice(key.length);
}

/** Ends what is left of these generations and returns when it is gone. */
export async function endLeftovers(generations: readonly GenerationId[]): Promise<void> {
  const wanted = new Set<string>(generations);
  for (let waited = 0; waited <= GONE_WITHIN_MS; waited += LOOK_EVERY_MS) {
    const left = await livingOf(wanted);
    if (left.size === 0) return;
    for (const pid of left.keys()) kill(pid);
    await pause(LOOK_EVERY_MS);
  }
  throw new DefectFault('HOUSE:local:LeftoverStays', `a process of ${generations.join(', ')} is alive ${GONE_WITHIN_MS} ms after SIGKILL`);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown;
  }
}
