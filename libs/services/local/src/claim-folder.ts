import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isErrno, readIfThere } from '@connector/platform/engine/files';
import { isAlive, markOf } from '@connector/platform/engine/process';
import { InputFault } from '@connector/kernel/faults';
import type { Layout } from './layout';

/** One supervisor a folder: a second one would take the first one's services for leftovers. Returns what gives the folder back. */
export async function claimFolder(layout: Layout): Promise<() => Promise<void>> {
  await mkdir(layout.home, { recursive: true, mode: 0o700 });
  const mine = JSON.stringify(await markOf(process.pid));
  if (!(await create(layout.lock, mine))) {
    await refuseLiving(layout);
    await rm(layout.lock, { force: true });
    if (!(await create(layout.lock, mine)))
      throw new InputFault('HOUSE:local:AlreadyRuns', `somebody else starts in ${layout.home} right now`);
  }
  return () => rm(layout.lock, { force: true });
}

async function create(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (thrown) {
    if (isErrno(thrown, 'EEXIST')) return false;
    throw thrown;
  }
}

async function refuseLiving(layout: Layout): Promise<void> {
  const [pid, startTime] = holderIn((await readIfThere(layout.lock)) ?? '');
  if (pid === undefined || startTime === undefined || !(await isAlive({ pid, startTime }))) return;
  throw new InputFault('HOUSE:local:AlreadyRuns', `process ${pid} runs in ${layout.home} already; end it first`);
}

/** Nothing where the file was cut off: whoever wrote it is dead. */
function holderIn(text: string): readonly [number?, string?] {
  const match = /^\{"pid":(\d+),"startTime":"(\d+)"\}$/.exec(text);
  return match ? [Number(match[1]), match[2] ?? ''] : [];
}
