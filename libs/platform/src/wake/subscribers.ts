import { PendingHints } from './pending-hints';
import { type Hint, HINTS_MAX, type WakeCounter } from './wake';

interface Subscriber {
  readonly stages: ReadonlySet<string>;
  readonly handler: (hint: Hint) => void;
}

/** Gives received hints to handlers, one turn later and collapsed; a handler that throws harms no other. */
export class Subscribers {
  readonly #counter: WakeCounter;
  readonly #subscribers = new Set<Subscriber>();
  readonly #pending = new PendingHints();
  #scheduled = false;

  constructor(counter: WakeCounter) {
    this.#counter = counter;
  }

  get stages(): readonly string[] {
    return [...new Set([...this.#subscribers].flatMap(({ stages }) => [...stages]))];
  }

  add(stages: readonly string[], handler: (hint: Hint) => void): () => void {
    const subscriber = { stages: new Set(stages), handler };
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  receive(hint: Hint): void {
    if (!this.#pending.add(hint)) this.#counter.wake('dropped');
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver());
  }

  close(): void {
    this.#subscribers.clear();
    this.#pending.clear();
  }

  #deliver(): void {
    this.#scheduled = false;
    for (const hint of this.#pending.take(HINTS_MAX)) this.#hand(hint);
    if (this.#pending.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver());
  }

  #hand(hint: Hint): void {
    for (const { stages, handler } of this.#subscribers) {
      if (!stages.has(hint.stage)) continue;
      this.#counter.wake('received');
      try {
        handler(hint);
      } catch (thrown) {
        this.#counter.fault(thrown);
      }
    }
  }
}
