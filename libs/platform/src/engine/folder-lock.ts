import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { refusal } from './engine';
import { isErrno, readIfThere } from './files';
import { isAlive, markOf, type ProcessMark } from './process';

/** Installing packages is the longest that a holder may take. */
const WAIT_MS = 12 * 60_000;
const LOOK_EVERY_MS = 100;

/**
 * One process at a time starts, joins or leaves the engine of a data folder: two would make the same folder twice, and the last to leave
 * would stop the engine under one that just joined.
 */
export async function withFolderLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'lock');
  await take(file);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<void> {
  const me = JSON.stringify(await markOf(process.pid));
  for (let waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
    if (await create(file, me)) return;
    await removeIfAbandoned(file);
    await pause(LOOK_EVERY_MS);
  }
  throw refusal(
    'FolderBusy',
    `another process holds ${file} for over ${WAIT_MS / 60_000} minutes: ${(await readIfThere(file)) ?? 'gone now, try again'}`,
  );
}

/** Linked into place whole, so that nobody ever reads a lock without its holder. */
async function create(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** A holder that was killed left its file behind. */
async function removeIfAbandoned(file: string): Promise<void> {
  const seen = await readIfThere(file);
  if (seen === undefined) return;
  const holder = parse(seen);
  if (holder !== undefined && (await isAlive(holder))) return;
  // Read again: whoever found the same dead holder may have put its own file there meanwhile.
  if ((await readIfThere(file)) === seen) await rm(file, { force: true });
}

function parse(text: string): ProcessMark | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('startTime' in value)) return undefined;
  return typeof value.pid === 'number' && typeof value.startTime === 'string' ? { pid: value.pid, startTime: value.startTime } : undefined;
}
