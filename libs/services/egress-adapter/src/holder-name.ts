import type { HolderFence } from '@connector/kernel/brand';
import { DefectFault, RetryableFault } from '@connector/kernel/faults';
import type { GenerationId } from '@connector/kernel/ids';
import { registerHolder } from '@connector/connector/transitions/outbound/register-holder.tx';
import type { Db } from '@connector/platform/db/db';

/** The name that permits are granted to, with the fence of this process. */
export interface Holder {
  readonly holderId: string;
  readonly holderFence: HolderFence;
}

/** Takes the name once, and knows when it is lost. Permits that were granted under the fence are settled under it all the same. */
export class HolderName {
  readonly #db: Db;
  readonly #holderId: string;
  readonly #generationId: GenerationId;
  #holder: Holder | undefined;
  #lost = false;

  constructor(db: Db, holderId: string, generationId: GenerationId) {
    this.#db = db;
    this.#holderId = holderId;
    this.#generationId = generationId;
  }

  /** Registers at the first call. Throws DefectFault where another process has taken the name of this generation over. */
  async take(): Promise<Holder> {
    if (this.#holder !== undefined) return this.#holder;
    const registration = { holderId: this.#holderId, generationId: this.#generationId };
    const answer = await registerHolder(this.#db, registration);
    if (answer.kind === 'generation-spent') {
      throw new DefectFault('HOUSE:egress-adapter:GenerationSpent', `${this.#generationId} had ${answer.holderId} and lost it`);
    }
    this.#holder = { holderId: this.#holderId, holderFence: answer.holderFence };
    return this.#holder;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Another process has the name: nothing new is asked for or sent. */
  lose(): void {
    this.#lost = true;
  }

  /** Readiness: a process without its name can do nothing useful. */
  async check(): Promise<void> {
    if (this.#lost) throw new RetryableFault('HOUSE:egress-adapter:FencedOff', `another process is ${this.#holderId}`);
    if (this.#holder === undefined)
      throw new RetryableFault('HOUSE:egress-adapter:NotRegistered', `${this.#holderId} is not registered yet`);
  }
}
