import { readFile } from 'node:fs/promises';

export interface Usage {
  /** Proportional: a page that n processes share counts for a n-th in each, bytes. Null where the system does not say. */
  readonly pssBytes: number | null;
  /** Since its start, user and system together, ms. */
  readonly cpuMs: number | null;
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;
const [USER_TICKS, SYSTEM_TICKS] = [11, 12];
const NOTHING: Usage = { pssBytes: null, cpuMs: null };

export async function usageOf(pid: number | null): Promise<Usage> {
  if (pid === null) return NOTHING;
  try {
    const [rollup, stat] = await Promise.all([readFile(`/proc/${pid}/smaps_rollup`, 'utf8'), readFile(`/proc/${pid}/stat`, 'utf8')]);
    const kib = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
    // The name of the program stands in parentheses and may hold any byte: count the fields from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    return { pssBytes: kib === undefined ? null : Number(kib) * 1024, cpuMs: ticks * MS_PER_TICK };
  } catch {
    return NOTHING; // ended between the look and the read
  }
}
