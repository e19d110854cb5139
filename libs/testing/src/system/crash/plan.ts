import type { Service } from '@connector/kernel/roles';
import { ADAPTER } from '@connector/services/local/src/plan';
import { groupBy } from '../audit/finding';
import type { CrashPoint } from './points';

/** Points that are met only by what an earlier death left behind, and that death. */
const AFTER: Readonly<Record<string, string>> = { 'accept-command/read run_command': 'commit-application/lock con_serving_gate' };
/** The script ends or freezes adapters for these; one that is to die at a point of its own is not among them then. */
const NEED_ADAPTER: ReadonlySet<string> = new Set(['record-termination', 'record-isolation', 'abandon-permits', 'create-effects']);

/** One round is one lane a service; services that do not disturb each other die in the same one. */
export type Round = readonly (readonly CrashPoint[])[];

export function planRounds(points: readonly CrashPoint[], all: readonly CrashPoint[]): readonly Round[] {
  const queues = new Map([...groupBy(points, ({ service }) => service)].map(([service, held]) => [service, [...held]]));
  const rounds: Round[] = [];
  while ([...queues.values()].some((queue) => queue.length > 0)) rounds.push(nextRound(queues, all));
  return rounds;
}

function nextRound(queues: ReadonlyMap<string, CrashPoint[]>, all: readonly CrashPoint[]): Round {
  const others = [...queues].filter(([service]) => service !== ADAPTER).flatMap(([, queue]) => queue.splice(0, 1));
  const taken = others.some(({ door }) => NEED_ADAPTER.has(door));
  const adapter = taken ? [] : (queues.get(ADAPTER satisfies Service)?.splice(0, 1) ?? []);
  return [...others, ...adapter].map((point) => [...all.filter(({ name }) => name === AFTER[point.name]), point]);
}
