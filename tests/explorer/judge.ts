import type { Happened, Part } from '@connector/testing/explorer/schedule';
import { INVARIANTS } from './invariants';
import { kindsOf, sameOutcome, type Outcome } from './outcome';
import type { Rows } from './rows';

/** What a schedule contradicts, by name. */
export interface Finding {
  readonly id: string;
  readonly detail: string;
}

/** Names of what is checked beside the invariants of the rows. */
export const JUDGED = {
  SERIAL: 'answers and rows are those of the same doors one after another, the writers in the order of their commits',
  DEFECT: 'no door ends in a defect',
  DEADLOCK: 'no 1213 and no lock wait timeout',
} as const;

export function brokenBy(before: Rows, after: Rows): readonly Finding[] {
  return INVARIANTS.flatMap(({ id, broken }) => broken({ before, after }).map((detail) => ({ id, detail })));
}

/** What the doors come to when nobody runs beside them, by the order in which they ran: `0,1`. */
export type Serial = ReadonlyMap<string, Outcome>;

const LOCKS = new Set([1213, 1205]);

export function judgeEnds(parts: readonly Part[], happened: Happened): readonly Finding[] {
  return happened.ends.flatMap((end, at) => {
    if (end.kind === 'answer') return [];
    const id = end.errno !== undefined && LOCKS.has(end.errno) ? 'DEADLOCK' : 'DEFECT';
    return [{ id, detail: `${parts[at]?.name ?? ''}: ${end.fault} ${end.code} ${end.detail}` }];
  });
}

/** Whoever wrote nothing may stand anywhere: its COMMIT moved nothing. */
export function judgeSerial(serial: Serial, happened: Happened, outcome: Outcome): readonly Finding[] {
  const wrote = happened.commits.filter((part) => happened.writers.includes(part)).join();
  const orders = [...serial.keys()].filter((order) => {
    const parts = order.split(',').map(Number);
    return parts.filter((part) => wrote.split(',').includes(String(part))).join() === wrote;
  });
  if (orders.some((order) => sameOutcome(serial.get(order) as Outcome, outcome))) return [];
  const nearest = orders.map((order) => serial.get(order) as Outcome).find(({ answers }) => answers.join() === outcome.answers.join());
  const rows = nearest === undefined ? '' : `; the rows differ: ${difference(nearest.rows, outcome.rows)}`;
  return [{ id: 'SERIAL', detail: `${happened.ends.map(kindsOf).join(' | ')} with writers in the order ${wrote}${rows}` }];
}

/** The first table whose rows differ, as they should be and as they are. */
function difference(wanted: string, found: string): string {
  const lines = found.split('\n');
  const at = wanted.split('\n').findIndex((line, index) => line !== lines[index]);
  return `${wanted.split('\n')[at] ?? ''} became ${lines[at] ?? ''}`;
}

export function permutations(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((shorter) =>
    Array.from({ length: count }, (_, at) => [...shorter.slice(0, at), count - 1, ...shorter.slice(at)]),
  );
}
