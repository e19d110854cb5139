import type { Machine } from '@connector/kernel/machine';

export interface Pair<State extends string = string> {
  readonly from: State;
  readonly to: State;
}

/** The full cross product of a machine's states: what moves, what must not, and every state with itself (con:SM-ALL-01). */
export interface Pairs<State extends string = string> {
  readonly allowed: readonly Pair<State>[];
  readonly refused: readonly Pair<State>[];
  readonly self: readonly Pair<State>[];
}

/** What both halves of the machine tests walk: the model half asks `allows`, the database half tries every pair by SQL. */
export function pairsOf<State extends string, Path extends string>(machine: Machine<State, Path>): Pairs<State> {
  const moves = new Set<string>();
  for (const list of Object.values<readonly (readonly [State, State])[]>(machine.moves)) {
    for (const [from, to] of list) moves.add(`${from}>${to}`);
  }
  const all = machine.states.flatMap((from) => machine.states.map((to) => ({ from, to })));
  const cross = all.filter((pair) => pair.from !== pair.to);
  const listed = (pair: Pair<State>): boolean => moves.has(`${pair.from}>${pair.to}`);
  return {
    allowed: cross.filter(listed),
    refused: cross.filter((pair) => !listed(pair)),
    self: all.filter((pair) => pair.from === pair.to),
  };
}
