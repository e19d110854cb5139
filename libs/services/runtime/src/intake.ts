import { RetryableFault } from '@connector/kernel/faults';
import type { CommandId, GenerationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { readResults, type ResultQuestion, type StoredResult } from '@connector/runtime/reads/results';
import { acceptCommand, type AcceptCommand, type RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import type { RunQueue } from './run-queue';

/** From the second on it was alone when its process ended: what ended it is hardly in doubt. */
const PUT_OFF_FROM = 2;
const PUT_OFF_MAX = 1_000;

/** What the claimant may ask of Runtime. */
export class Intake {
  readonly #db: Db;
  readonly #queue: RunQueue;
  readonly #by: GenerationId;
  readonly #putOff = new Set<CommandId>();

  constructor(db: Db, queue: RunQueue, by: GenerationId) {
    this.#db = db;
    this.#queue = queue;
    this.#by = by;
  }

  /** The durable row first, then the run in memory: an answer never waits for a handler, and promises nothing about one (con:INV-24). */
  async submit(command: RuntimeCommand): Promise<AcceptCommand> {
    if (!this.#queue.hasRoom(command)) throw full();
    const answer = await retrying(ANSWER_SOON, () => acceptCommand(this.#db, command, this.#by));
    if (answer.kind !== 'accepted' || this.#comesLater(command.commandId, answer.unanswered)) return answer;
    // Others may have taken the room meanwhile. The row stays; the same command again finds it and is run then.
    if (this.#queue.start({ command, counted: answer.counted, unanswered: answer.unanswered }) === 'full') throw full();
    return answer;
  }

  results(questions: readonly ResultQuestion[]): Promise<readonly StoredResult[]> {
    return readResults(this.#db, questions);
  }

  /**
   * What was lost with a process comes again together, when the leases are over. One that ended a process alone is run the second time that it
   * comes to this one: a lease later, when whoever was lost with it has had its answer (PUB-EXE-09).
   */
  #comesLater(commandId: CommandId, unanswered: number): boolean {
    if (unanswered < PUT_OFF_FROM || this.#putOff.delete(commandId) || this.#putOff.size >= PUT_OFF_MAX) return false;
    this.#putOff.add(commandId);
    return true;
  }
}

function full(): RetryableFault {
  return new RetryableFault('HOUSE:runtime:QueueFull', 'as many commands are in hand as this process takes');
}
