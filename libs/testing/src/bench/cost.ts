import { existsSync, readFileSync } from 'node:fs';
import type { SystemUnderTest } from '../system/system';

/** Of `/proc/<pid>/stat`: ticks of a hundredth of a second on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

export interface ServiceCost {
  readonly name: string;
  readonly cpuSeconds: number;
  /** Proportional set size, MiB: what is shared counts once over all processes. */
  readonly pssMiB: number;
}

/** What each service has used since it was started; undefined where the kernel does not tell. */
export function costsOf({ local }: SystemUnderTest): readonly ServiceCost[] | undefined {
  if (!existsSync('/proc/self/smaps_rollup')) return undefined;
  return local.supervisor.services.flatMap(({ name, pid }) => (pid === null ? [] : [{ name, cpuSeconds: cpuOf(pid), pssMiB: pssOf(pid) }]));
}

/** Behind the name, which may hold anything but ends at the last bracket: user and system time are the 12th and the 13th. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

function pssOf(pid: number): number {
  const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Number(found?.[1]) / 1_024;
}
