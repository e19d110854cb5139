import { DefectFault, InputFault, RetryableFault } from '@connector/kernel/faults';

/** What one item adds to the transaction. */
export interface BatchWeight {
  readonly rows: number;
  readonly bytes: number;
}
export interface BatchLimits extends BatchWeight {
  readonly items: number;
  /** Items of one key that may wait; one more is refused at once. */
  readonly waiting: number;
}
/** The limits of a door (decisions 3.6). */
export const DOOR_LIMITS: BatchLimits = { items: 500, rows: 2000, bytes: 4 * 1024 * 1024, waiting: 5000 };
const WEIGHTLESS: BatchWeight = { rows: 1, bytes: 0 };

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly weight: BatchWeight;
  readonly give: (answer: Answer) => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * Natural batching (decisions 3.6): while one transaction of a key is in flight the next batch fills; nothing waits on a timer.
 * `run` answers per item, in order. When a batch of several fails as a defect it is halved until the poison item stands alone,
 * so that one item never fails its neighbours.
 */
export class BatchQueue<Item, Answer> {
  readonly #run: (key: string, items: readonly Item[]) => Promise<readonly Answer[]>;
  readonly #limits: BatchLimits;
  readonly #waiting = new Map<string, Waiting<Item, Answer>[]>();
  readonly #busy = new Map<string, Promise<void>>();

  constructor(run: (key: string, items: readonly Item[]) => Promise<readonly Answer[]>, limits: BatchLimits = DOOR_LIMITS) {
    this.#run = run;
    this.#limits = limits;
  }

  submit(key: string, item: Item, weight: BatchWeight = WEIGHTLESS): Promise<Answer> {
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length >= this.#limits.waiting) {
      return Promise.reject(new RetryableFault('HOUSE:db:BatchQueueFull', `more than ${this.#limits.waiting} items wait`));
    }
    this.#waiting.set(key, queue);
    return new Promise((give, refuse) => {
      queue.push({ item, weight, give, refuse });
      if (!this.#busy.has(key)) this.#busy.set(key, this.#drain(key));
    });
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled([...this.#busy.values()]);
  }

  async #drain(key: string): Promise<void> {
    try {
      // Let the callers of this tick in before the first batch closes.
      await Promise.resolve();
      for (let batch = this.#take(key); batch.length > 0; batch = this.#take(key)) await this.#settle(key, batch);
    } finally {
      this.#waiting.delete(key);
      this.#busy.delete(key);
    }
  }

  #take(key: string): Waiting<Item, Answer>[] {
    const queue = this.#waiting.get(key) ?? [];
    let count = 0;
    let rows = 0;
    let bytes = 0;
    for (const { weight } of queue) {
      const full = count >= this.#limits.items || rows + weight.rows > this.#limits.rows || bytes + weight.bytes > this.#limits.bytes;
      if (count > 0 && full) break;
      count += 1;
      rows += weight.rows;
      bytes += weight.bytes;
    }
    return queue.splice(0, count);
  }

  async #settle(key: string, batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#run(
        key,
        batch.map((waiting) => waiting.item),
      );
      if (answers.length !== batch.length) {
        throw new DefectFault('HOUSE:db:BatchAnswers', `${batch.length} items, ${answers.length} answers`);
      }
      batch.forEach((waiting, index) => waiting.give(answers[index] as Answer));
    } catch (error) {
      await this.#isolate(key, batch, error);
    }
  }

  async #isolate(key: string, batch: readonly Waiting<Item, Answer>[], error: unknown): Promise<void> {
    const wrong = error instanceof DefectFault || error instanceof InputFault;
    const poison = wrong && batch.length > 1;
    if (!poison) {
      for (const waiting of batch) waiting.refuse(error);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.#settle(key, batch.slice(0, half));
    await this.#settle(key, batch.slice(half));
  }
}
