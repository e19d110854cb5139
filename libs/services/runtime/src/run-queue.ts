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

/** Commands that were accepted by this process and not yet run. It holds nothing that the inbox does not: what is lost with it comes again. */
export class RunQueue {
  readonly #run: (command: RuntimeCommand) => Promise<void>;
  readonly #limits: QueueLimits;
  readonly #waiting: RuntimeCommand[] = [];
  readonly #inHand = new Set<CommandId>();
  readonly #active = new Set<Promise<void>>();
  #workers = 0;
  #bytes = 0;

  /** `run` tells its faults itself and never rejects. */
  constructor(run: (command: RuntimeCommand) => Promise<void>, limits: QueueLimits = QUEUE_LIMITS) {
    this.#run = run;
    this.#limits = limits;
  }

  hasRoom({ commandId, input }: RuntimeCommand): boolean {
    const fits = this.#inHand.size < this.#limits.commands && this.#bytes + input.length <= this.#limits.bytes;
    return fits || this.#inHand.has(commandId);
  }

  /** A command that is in hand already is not run beside itself. */
  start(command: RuntimeCommand): 'started' | 'in-hand' | 'full' {
    if (this.#inHand.has(command.commandId)) return 'in-hand';
    if (!this.hasRoom(command)) return 'full';
    this.#inHand.add(command.commandId);
    this.#bytes += command.input.length;
    this.#waiting.push(command);
    if (this.#workers < this.#limits.running) this.#hire();
    return 'started';
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active);
  }

  #hire(): void {
    this.#workers += 1;
    const work = this.#work().finally(() => this.#active.delete(work));
    this.#active.add(work);
  }

  async #work(): Promise<void> {
    for (let command = this.#waiting.shift(); command !== undefined; command = this.#waiting.shift()) {
      await this.#run(command);
      this.#inHand.delete(command.commandId);
      this.#bytes -= command.input.length;
    }
    // In the turn in which nothing waited: counted later, a command that comes in between would find nobody.
    this.#workers -= 1;
  }
}
