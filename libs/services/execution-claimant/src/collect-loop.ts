import type { AccountName } from '@connector/kernel/brand';
import type { ExecutionId } from '@connector/kernel/ids';
import { AWAITING_MAX, awaitingExecutions, nextResultLook, type Awaiting } from '@connector/connector/reads/execution/awaiting';
import { readDueWork, type DueWork } from '@connector/connector/reads/serving/due-work';
import { recordResults, type RecordResult, type RuntimeReceipt } from '@connector/connector/transitions/execution/record-results.tx';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { Log } from '@connector/platform/telemetry/log';
import type { RuntimeClient } from './runtime-client';

export interface CollectParts {
  readonly db: Db;
  readonly runtime: RuntimeClient;
  /** Told of executions that are complete. */
  readonly recorded: (executions: readonly ExecutionId[]) => void;
  readonly log: Log;
}

/** Asks Runtime for the results of claimed executions and completes those that have one. A lease that ended makes no difference here. */
export class CollectLoop {
  readonly #parts: CollectParts;

  constructor(parts: CollectParts) {
    this.#parts = parts;
  }

  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    let recorded = 0;
    for (const work of await readDueWork(this.#parts.db, 'result')) {
      if (signal.aborted) break;
      recorded += await this.#account(work, signal);
    }
    return recorded > 0 ? 'worked' : 'idle';
  }

  /** All that the account awaits, page by page; `produced` is from before the first, so a result that comes meanwhile keeps it due. */
  async #account({ account, produced }: DueWork, signal: AbortSignal): Promise<number> {
    const { db } = this.#parts;
    let recorded = 0;
    let page: readonly Awaiting[] = [];
    do {
      if (signal.aborted) return recorded;
      page = await awaitingExecutions(db, account, page.at(-1)?.executionId);
      recorded += await this.#page(account, page);
    } while (page.length === AWAITING_MAX);
    await restWork(db, { stage: 'result', account, producedSeen: produced, dueAt: await nextResultLook(db, account) });
    return recorded;
  }

  async #page(account: AccountName, page: readonly Awaiting[]): Promise<number> {
    if (page.length === 0) return 0;
    const answers = await this.#parts.runtime.results(page);
    for (const answer of answers) {
      if (answer.kind === 'receipt-broken') this.#parts.log.error('receipt-broken', { account, row: answer.awaiting.executionId });
    }
    const receipts = answers.flatMap((answer) => (answer.kind === 'receipt' ? [answer.receipt] : []));
    return receipts.length === 0 ? 0 : this.#record(account, receipts);
  }

  async #record(account: AccountName, receipts: readonly RuntimeReceipt[]): Promise<number> {
    const answers = await retrying(ANSWER_SOON, () => recordResults(this.#parts.db, account, receipts));
    const recorded = receipts.filter((_, index) => answers[index]?.kind === 'recorded').map(({ executionId }) => executionId);
    this.#parts.recorded(recorded);
    answers.forEach((answer, index) => this.#tell(account, receipts[index]?.executionId, answer));
    return recorded.length;
  }

  /** A result that cannot be recorded leaves the execution as it is; a person has to look. */
  #tell(account: AccountName, row: ExecutionId | undefined, { kind }: RecordResult): void {
    if (kind === 'recorded') return;
    // A gate that is not in a mode for results, or that names another epoch, is somebody's doing and may be undone.
    const expected = kind === 'not-serving' || kind === 'other-epoch';
    this.#parts.log[expected ? 'warn' : 'error']('result-not-recorded', { account, row, kind });
  }
}
