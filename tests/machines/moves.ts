import type { Machine } from '@connector/kernel/machine';
import { model, type Model } from '../tidy/model';

/** The machine of one table, and the column that has its state. */
export interface Subject {
  readonly machine: Machine<string, string>;
  readonly table: string;
  readonly column: string;
}

export const pair = (from: string, to: string): string => `${from}>${to}`;

/** What the model says of a subject: which doors write its table, by which statements, and which moves each of them may make. */
export interface Declared {
  readonly doors: readonly string[];
  readonly updates: readonly string[];
  /** `from>to` of every path that a door carries. */
  readonly moves: readonly string[];
  /** Of the paths that no door carries yet, and of no other. */
  readonly later: readonly string[];
  movesOf(door: string): readonly string[];
}

export async function declared(subject: Subject): Promise<Declared> {
  const { doors, paths } = await model();
  const listed = (names: readonly string[]): readonly string[] =>
    [...new Set(names.flatMap((name) => (subject.machine.moves[name] ?? []).map(([from, to]) => pair(from, to))))].sort();
  const carried = new Set(doors.flatMap((door) => door.paths));
  const moves = listed([...carried]);
  const waiting = listed(Object.keys(subject.machine.moves).filter((name) => !carried.has(name)));
  return {
    doors: doors
      .filter((door) => writes(door, subject))
      .map((door) => door.name)
      .sort(),
    updates: updatesOf(paths, subject),
    moves,
    later: waiting.filter((one) => !moves.includes(one)),
    movesOf: (door) => listed(doors.find((one) => one.name === door)?.paths ?? []),
  };
}

const writes = (door: Model['doors'][number], { table }: Subject): boolean =>
  door.steps.some((step) => step.table === table && (step.verb === 'update' || step.verb === 'insert'));

function updatesOf(paths: Model['paths'], { table }: Subject): readonly string[] {
  const steps = paths.flatMap((path) => path.steps.map((step) => step.replace(/\?$/, '')));
  return [...new Set(steps.filter((step) => step === `update ${table}` || step.startsWith(`update ${table}#`)))].sort();
}
