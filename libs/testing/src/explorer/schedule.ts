import type { Db } from '@connector/platform/db/db';
import type { TestSchema } from '../database';
import { Actor, type End, type Treatment } from './actor';
import { footprint, type Footprint } from './trace';
import { Waiting } from './waiting';

/** One who takes part: a real door with its input, or several one after another. */
export interface Part {
  readonly name: string;
  readonly open: (db: Db) => Promise<unknown>;
  /**
   * The plain read on which everything rests that it does later: there it has its place among the others, not at its COMMIT. Every read
   * of such a part outside of a transaction is a step, as its statements are.
   */
  readonly decidesAt?: string;
}

export interface Happened {
  readonly events: readonly Footprint[];
  /** Parts that committed, in the order of their places: of the read that decides for one, else of its first COMMIT. */
  readonly commits: readonly number[];
  readonly ends: readonly End[];
  /** Parts that wrote before they ended. */
  readonly writers: readonly number[];
  /** Statements that waited for a lock. */
  readonly blocked: readonly string[];
}

export interface Direction extends Treatment {
  readonly choose: (options: readonly Footprint[]) => number;
  /** After every step that let a transaction or a part end, while all others stand still. `wrote`: tables that it wrote. */
  readonly ended: (part: number, wrote: readonly string[]) => Promise<void>;
}

/** The sessions, kept over the schedules. */
export class Stage {
  readonly #schema: TestSchema;
  readonly #waiting: Waiting;
  readonly #actors: Actor[] = [];

  constructor(schema: TestSchema) {
    this.#schema = schema;
    this.#waiting = new Waiting(schema);
  }

  /** One schedule of these parts, to the end of all of them. */
  async run(parts: readonly Part[], direction: Direction): Promise<Happened> {
    while (this.#actors.length < parts.length) this.#actors.push(new Actor(this.#schema));
    const actors = this.#actors.slice(0, parts.length);
    try {
      for (const [at, part] of parts.entries()) {
        const actor = actors[at] as Actor;
        actor.start(part.open, direction, part.decidesAt !== undefined);
        await this.#waiting.look(actor, false);
      }
      return await new Run({ parts, actors }, this.#waiting, direction).toTheEnd();
    } catch (error) {
      await Promise.all(actors.map((actor) => actor.letGo()));
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#actors.map((actor) => actor.close()));
  }
}

const MAY_WAIT = /^(lock|insert|update) /;
const WRITES = /^(insert|update) /;
const written = (done: readonly string[]): readonly string[] =>
  done.filter((step) => WRITES.test(step)).map((step) => step.replace(/^\w+ /, '').replace(/#.*$/, ''));

class Run {
  readonly #actors: readonly Actor[];
  readonly #waiting: Waiting;
  readonly #direction: Direction;
  readonly #events: Footprint[] = [];
  readonly #parts: readonly Part[];
  readonly #places: number[] = [];
  /** COMMITs of each part that were noted. */
  readonly #noted = new Map<number, number>();
  readonly #over = new Set<number>();
  readonly #blocked: string[] = [];

  constructor(
    { parts, actors }: { readonly parts: readonly Part[]; readonly actors: readonly Actor[] },
    waiting: Waiting,
    direction: Direction,
  ) {
    [this.#parts, this.#actors, this.#waiting, this.#direction] = [parts, actors, waiting, direction];
  }

  async toTheEnd(): Promise<Happened> {
    for (;;) {
      await this.#noteEnds();
      const options = this.#actors.flatMap(({ next, done }, at) => (next === undefined ? [] : [footprint(at, next, done)]));
      if (options.length > 0) await this.#step(options);
      else if (this.#actors.every(({ end }) => end !== undefined)) break;
      else await this.#waiting.any(this.#actors.filter(({ end }) => end === undefined));
    }
    return {
      events: this.#events,
      commits: this.#places.filter((at) => (this.#noted.get(at) ?? 0) > 0),
      ends: this.#actors.map(({ end }) => end as End),
      writers: [...this.#actors.keys()].filter((at) => written((this.#actors[at] as Actor).done).length > 0),
      blocked: this.#blocked,
    };
  }

  async #step(options: readonly Footprint[]): Promise<void> {
    const chosen = this.#direction.choose(options);
    const actor = this.#actors[chosen];
    const there = actor !== undefined && (actor.next !== undefined || (await this.#waiting.soon(actor)));
    if (!there || actor.next === undefined) throw new Error(`session ${chosen} waits where it did not before`);
    const event = footprint(chosen, actor.next, actor.done);
    this.#events.push(event);
    // The last of such reads: what was read before it may be of the past by then.
    if (event.step === this.#parts[chosen]?.decidesAt) this.#take(chosen);
    actor.go();
    const seen = await this.#waiting.look(actor, MAY_WAIT.test(event.step));
    if (seen === 'waits') this.#blocked.push(event.step);
  }

  /** A transaction that ended let go of its locks: whoever waited for them stands before the next statement before anything goes on. */
  async #noteEnds(): Promise<void> {
    for (const [at, { commits, end, done }] of this.#actors.entries()) {
      const fresh = commits > (this.#noted.get(at) ?? 0);
      if (!fresh && (end === undefined || this.#over.has(at))) continue;
      this.#noted.set(at, commits);
      if (end !== undefined) this.#over.add(at);
      if (fresh && !this.#places.includes(at)) this.#places.push(at);
      for (const other of this.#actors) if (!other.arrived) await this.#waiting.look(other, true);
      await this.#direction.ended(at, fresh ? written(done) : []);
    }
  }

  #take(part: number): void {
    if (this.#places.includes(part)) this.#places.splice(this.#places.indexOf(part), 1);
    this.#places.push(part);
  }
}
