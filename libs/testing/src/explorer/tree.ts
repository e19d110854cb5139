import { commute, type Footprint } from './trace';

interface Node {
  readonly options: readonly Footprint[];
  /** Sessions whose step was tried in an earlier branch and commutes with everything since: the same orders again. */
  readonly asleep: ReadonlySet<number>;
  readonly tried: Set<number>;
  chosen: number;
}

/**
 * Every schedule once, depth first: a run asks `choose` at each step, and `advance` goes on to the next schedule. A session that waits is
 * no choice, so all merges that name a waiting session are the one schedule in which it waits. `reduced` leaves out orders that differ from
 * an earlier one only in steps that commute (sleep sets).
 */
export class Tree {
  readonly #reduced: boolean;
  readonly #path: Node[] = [];
  #depth = 0;
  /** This run is an order that was had before: it is let run to its end and not counted. */
  redundant = false;

  constructor(reduced: boolean) {
    this.#reduced = reduced;
  }

  readonly choose = (options: readonly Footprint[]): number => {
    const [first] = options as [Footprint];
    if (this.redundant) return first.actor;
    const known = this.#path[this.#depth];
    this.#depth += 1;
    if (known !== undefined) return known.chosen;
    const asleep = this.#asleep(options);
    const awake = options.find(({ actor }) => !asleep.has(actor));
    if (awake === undefined) {
      this.redundant = true;
      return first.actor;
    }
    this.#path.push({ options, asleep, tried: new Set(), chosen: awake.actor });
    return awake.actor;
  };

  /** False when there is no further schedule. */
  advance(): boolean {
    this.again();
    for (let node = this.#path.at(-1); node !== undefined; node = this.#path.at(-1)) {
      const { options, asleep, tried } = node;
      tried.add(node.chosen);
      const next = options.find(({ actor }) => !tried.has(actor) && !asleep.has(actor));
      if (next !== undefined) {
        node.chosen = next.actor;
        return true;
      }
      this.#path.pop();
    }
    return false;
  }

  /** The same schedule once more. */
  again(): void {
    this.#depth = 0;
    this.redundant = false;
  }

  #asleep(options: readonly Footprint[]): ReadonlySet<number> {
    const parent = this.#path.at(-1);
    if (!this.#reduced || parent === undefined) return new Set();
    const step = (actor: number): Footprint | undefined => parent.options.find((option) => option.actor === actor);
    const chosen = step(parent.chosen);
    const quiet = [...parent.asleep, ...parent.tried].filter((actor) => {
      const slept = step(actor);
      return slept !== undefined && chosen !== undefined && commute(slept, chosen);
    });
    return new Set(quiet.filter((actor) => options.some((option) => option.actor === actor)));
  }
}
