import type { ExecutionId } from '@connector/kernel/ids';

/**
 * How many executions this process has claimed that are still without an answer: the bound that keeps a slow Runtime from having everything
 * leased to it at once. The rows are the truth; this only remembers which of them to ask about.
 */
export class InHand {
  readonly #max: number;
  readonly #standing: (executions: readonly ExecutionId[]) => Promise<readonly ExecutionId[]>;
  #held = new Set<ExecutionId>();

  /** `standing` says which executions are still under a lease and unanswered. */
  constructor(max: number, standing: (executions: readonly ExecutionId[]) => Promise<readonly ExecutionId[]>) {
    this.#max = max;
    this.#standing = standing;
  }

  /** How many more may be claimed. The rows are asked only when there seems to be no room. */
  async room(): Promise<number> {
    if (this.#held.size >= this.#max) await this.#look();
    return Math.max(0, this.#max - this.#held.size);
  }

  add(executions: readonly ExecutionId[]): void {
    for (const execution of executions) this.#held.add(execution);
  }

  done(executions: readonly ExecutionId[]): void {
    for (const execution of executions) this.#held.delete(execution);
  }

  /** Answered by another process, or the lease ended: not ours any more. What is added or done meanwhile is kept so. */
  async #look(): Promise<void> {
    const asked = [...this.#held];
    const standing = new Set(await this.#standing(asked));
    this.done(asked.filter((execution) => !standing.has(execution)));
  }
}
