import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { breakdown, refusal } from './engine';
import { isErrno } from './files';

/** A process and when it began: a pid alone is given to somebody else sooner or later. */
export interface ProcessMark {
  readonly pid: number;
  /** Clock ticks since boot, field 22 of /proc/<pid>/stat. */
  readonly startTime: string;
}

const STOP_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const STATE = 0;
const START_TIME = 19;

/** `undefined` when there is no such process, or only its zombie. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name of the program stands in parentheses and may hold any byte: count the fields from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[STATE] === 'Z' ? undefined : fields[START_TIME];
}

export async function markOf(pid: number): Promise<ProcessMark> {
  const startTime = await startTimeOf(pid);
  if (startTime === undefined) throw breakdown('ProcessUnknown', `process ${pid} ended, or this system has no /proc`);
  return { pid, startTime };
}

export async function isAlive(mark: ProcessMark): Promise<boolean> {
  return (await startTimeOf(mark.pid)) === mark.startTime;
}

/** Whether the process was started with this very argument. */
export async function hasArgument(pid: number, argument: string): Promise<boolean> {
  const line = await readProc(`/proc/${pid}/cmdline`);
  return line !== undefined && line.split('\0').includes(argument);
}

/** Asks the process to end and waits for it, bounded. Whoever else got its pid is left alone. */
export async function endProcess(mark: ProcessMark): Promise<void> {
  if (!(await isAlive(mark))) return;
  signal(mark.pid);
  for (let waited = 0; waited < STOP_WITHIN_MS; waited += LOOK_EVERY_MS) {
    if (!(await isAlive(mark))) return;
    await pause(LOOK_EVERY_MS);
  }
  throw refusal(
    'StillRunning',
    `process ${mark.pid} did not end within ${STOP_WITHIN_MS / 1000} s of SIGTERM; look at its log, then: kill ${mark.pid}`,
  );
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

async function readProc(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // ESRCH: it ended between open and read.
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ESRCH')) return undefined;
    throw error;
  }
}
