import { RetryableFault } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { readResults, type ResultQuestion, type StoredResult } from '@connector/runtime/reads/results';
import { acceptCommand, type AcceptCommand, type RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import type { RunQueue } from './run-queue';

/** What the claimant may ask of Runtime. */
export class Intake {
  readonly #db: Db;
  readonly #queue: RunQueue;

  constructor(db: Db, queue: RunQueue) {
    this.#db = db;
    this.#queue = queue;
  }

  /** The durable row first, then the run in memory: an answer never waits for a handler, and promises nothing about one (con:INV-24). */
  async submit(command: RuntimeCommand): Promise<AcceptCommand> {
    if (!this.#queue.hasRoom(command)) throw full();
    const answer = await retrying(ANSWER_SOON, () => acceptCommand(this.#db, command));
    // Others may have taken the room meanwhile. The row stays; the same command again finds it and is run then.
    if (answer.kind === 'accepted' && this.#queue.start(command) === 'full') throw full();
    return answer;
  }

  results(questions: readonly ResultQuestion[]): Promise<readonly StoredResult[]> {
    return readResults(this.#db, questions);
  }
}

function full(): RetryableFault {
  return new RetryableFault('HOUSE:runtime:QueueFull', 'as many commands are in hand as this process takes');
}
