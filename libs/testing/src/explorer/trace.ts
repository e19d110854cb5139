/** What a step of a session touches, for telling orders apart that differ only in steps that commute. */
export interface Footprint {
  readonly actor: number;
  readonly step: string;
  /** Tables that it reads without a lock. */
  readonly reads: ReadonlySet<string>;
  /** Tables that it locks or writes; a COMMIT: every table that its transaction has met, since it lets go of their locks. */
  readonly writes: ReadonlySet<string>;
}

const tableOf = (step: string): string => step.replace(/^\w+ /, '').replace(/#.*$/, '');
const NONE: ReadonlySet<string> = new Set();

export function footprint(actor: number, step: string, before: readonly string[]): Footprint {
  if (step === 'commit') return { actor, step, reads: NONE, writes: new Set(before.map(tableOf)) };
  const tables = new Set([tableOf(step)]);
  return step.startsWith('read ') ? { actor, step, reads: tables, writes: NONE } : { actor, step, reads: NONE, writes: tables };
}

/** Whether both orders of two steps of different sessions come to the same. By table, so it errs on the side of "no". */
export function commute(left: Footprint, right: Footprint): boolean {
  if (left.actor === right.actor) return false;
  const meets = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => [...one].some((table) => other.has(table));
  return !meets(left.writes, right.writes) && !meets(left.writes, right.reads) && !meets(left.reads, right.writes);
}

/** One name for all orders that are the same but for steps that commute: of those orders the first in the alphabet of sessions. */
export function traceKey(events: readonly Footprint[]): string {
  const left = [...events];
  const key: string[] = [];
  while (left.length > 0) {
    let best = -1;
    left.forEach((event, at) => {
      const free = left.slice(0, at).every((earlier) => commute(earlier, event));
      if (free && (best < 0 || event.actor < (left[best] as Footprint).actor)) best = at;
    });
    const [event] = left.splice(best, 1) as [Footprint];
    key.push(`${event.actor} ${event.step}`);
  }
  return key.join(', ');
}

/** How many orders a list of statement counts has when nobody ever waits. */
export function mergesOf(counts: readonly number[]): bigint {
  let total = 0n;
  let merges = 1n;
  for (const count of counts) {
    for (let at = 1n; at <= BigInt(count); at += 1n) {
      total += 1n;
      merges = (merges * total) / at;
    }
  }
  return merges;
}
