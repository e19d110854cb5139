import { OperationId } from '@connector/kernel/ids';
import { confirmedEffects } from '@connector/connector/reads/outbound/confirmed-effects';
import { readDueWork, type DueWork } from '@connector/connector/reads/serving/due-work';
import { FINALIZE_MAX, finalizeEffects } from '@connector/connector/transitions/outbound/finalize-effects.tx';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { Log } from '@connector/platform/telemetry/log';

/** Finishes what the provider confirmed, from the evidence alone (con:FIN-O, con:CRASH-24). */
export class Finalizer {
  readonly #db: Db;
  readonly #log: Log;

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    let worked = false;
    for (const work of await readDueWork(this.#db, 'finalize')) {
      if (signal.aborted) break;
      worked = (await this.#account(work)) || worked;
    }
    return worked ? 'worked' : 'idle';
  }

  async #account({ account, produced }: DueWork): Promise<boolean> {
    const effectIds = await confirmedEffects(this.#db, account, FINALIZE_MAX);
    // Minted before the first try: after an unknown COMMIT the same operation runs again and meets its own answer.
    const operationId = OperationId.mint();
    const run = () => finalizeEffects(this.#db, { operationId, account, effectIds });
    const answers = effectIds.length === 0 ? [] : await retrying(ANSWER_SOON, run);
    if (effectIds.length < FINALIZE_MAX) await restWork(this.#db, { stage: 'finalize', account, producedSeen: produced, dueAt: null });
    for (const [index, { kind }] of answers.entries()) {
      if (kind === 'finalized') continue;
      this.#log.error('not-finalized', { account, row: effectIds[index], kind });
    }
    return answers.some(({ kind }) => kind === 'finalized' || kind === 'link-conflict');
  }
}
