import { DefectFault } from './faults';

/**
 * A state machine as data. A move that is not listed does not exist (con:INV-29); `tests/machines` tries every other pair
 * through the repository and by SQL.
 */
export interface MachineSpec<State extends string, Path extends string> {
  readonly name: string;
  readonly states: readonly State[];
  readonly initial: State;
  readonly moves: Readonly<Record<Path, readonly (readonly [State, State])[]>>;
}

export interface Machine<State extends string, Path extends string> extends MachineSpec<State, Path> {
  /** The state that a stored word means; DefectFault for a word that no state has. */
  parse(word: string): State;
  /** Whether any path moves `from` to `to`. */
  allows(from: State, to: State): boolean;
  readonly terminal: readonly State[];
}

export function machine<const State extends string, const Path extends string>(spec: MachineSpec<State, Path>): Machine<State, Path> {
  const pairs = new Set<string>();
  for (const moves of Object.values<readonly (readonly [State, State])[]>(spec.moves))
    for (const [from, to] of moves) pairs.add(`${from}>${to}`);
  const states = new Set<string>(spec.states);
  return {
    ...spec,
    parse: (word) => {
      if (!states.has(word)) throw new DefectFault('HOUSE:kernel:UnknownState', `${spec.name} has no state ${JSON.stringify(word)}`);
      return word as State;
    },
    allows: (from, to) => pairs.has(`${from}>${to}`),
    terminal: spec.states.filter((state) => !spec.states.some((other) => pairs.has(`${state}>${other}`))),
  };
}
