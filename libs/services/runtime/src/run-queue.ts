import type { CommandId } from '@connector/kernel/ids';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';

export interface QueueLimits {
  readonly running: number;
  /** Commands in hand, running and waiting. */
  readonly commands: number;
  /** Of their inputs together. */
  readonly bytes: number;
}
export const QUEUE_LIMITS: QueueLimits = { running: 8, commands: 1_000, bytes: 64 * 1024 * 1024 };

/** A command as it was handed over: whether this start of it is counted already, and how many told no end. */
export interface Handed {
  readonly command: RuntimeCommand;
  readonly counted: boolean;
  readonly unanswered: number;
}

/**
 * Commands that were accepted by this process and not yet run. It holds nothing that the inbox does not: what is lost with it comes again.
 *
 * A command that was in hand when a process ended may have ended it, so it runs alone: if it does so again nobody else was there, and whoever is
 * no cause of it has an answer at its second start (PUB-EXE-09).
 */
export class RunQueue {
  readonly #run: (handed: Handed) => Promise<void>;
  readonly #limits: QueueLimits;
  readonly #waiting: Handed[] = [];
  readonly #inHand = new Set<CommandId>();
  readonly #active = new Set<Promise<void>>();
  #running = 0;
  #alone = false;
  #bytes = 0;

  /** `run` tells its faults itself and never rejects. */
  constructor(run: (handed: Handed) => Promise<void>, limits: QueueLimits = QUEUE_LIMITS) {
    this.#run = run;
    this.#limits = limits;
  }

  hasRoom({ commandId, input }: RuntimeCommand): boolean {
    const fits = this.#inHand.size < this.#limits.commands && this.#bytes + input.length <= this.#limits.bytes;
    return fits || this.#inHand.has(commandId);
  }

  /** A command that is in hand already is not run beside itself. */
  start(handed: Handed): 'started' | 'in-hand' | 'full' {
    const { command } = handed;
    if (this.#inHand.has(command.commandId)) return 'in-hand';
    if (!this.hasRoom(command)) return 'full';
    this.#inHand.add(command.commandId);
    this.#bytes += command.input.length;
    this.#waiting.push(handed);
    this.#fill();
    return 'started';
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active);
  }

  #fill(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#mayRun(next); next = this.#waiting[0]) {
      this.#waiting.shift();
      const work = this.#work(next).finally(() => this.#active.delete(work));
      this.#active.add(work);
    }
  }

  #mayRun({ unanswered }: Handed): boolean {
    return !this.#alone && this.#running < (unanswered > 0 ? 1 : this.#limits.running);
  }

  async #work(handed: Handed): Promise<void> {
    this.#running += 1;
    this.#alone = handed.unanswered > 0;
    await this.#run(handed);
    this.#running -= 1;
    this.#alone = false;
    this.#inHand.delete(handed.command.commandId);
    this.#bytes -= handed.command.input.length;
    // In the turn in which this one ended: filled later, a command that comes in between would wait beside a free place.
    this.#fill();
  }
}
