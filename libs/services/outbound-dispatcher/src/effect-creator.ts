import { grantCandidates } from '@connector/connector/reads/outbound/grant-candidates';
import { readDueWork, type DueWork } from '@connector/connector/reads/serving/due-work';
import { readGate } from '@connector/connector/reads/serving/gates';
import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { Wake } from '@connector/platform/wake/wake';
import { restEffects, restHalted } from './rest-effects';

const COMMANDS_MAX = 200;

/** Turns commands into effects also while no adapter asks, so that what waits can be seen and explained. */
export class EffectCreator {
  readonly #db: Db;
  readonly #wake: Wake;

  constructor(db: Db, wake: Wake) {
    this.#db = db;
    this.#wake = wake;
  }

  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    let worked = false;
    for (const work of await readDueWork(this.#db, 'effect')) {
      if (signal.aborted) break;
      worked = (await this.#account(work)) || worked;
    }
    return worked ? 'worked' : 'idle';
  }

  async #account(work: DueWork): Promise<boolean> {
    const gate = await readGate(this.#db, work.account);
    if (gate?.mode !== 'v2_serving') {
      await restHalted(this.#db, work);
      return false;
    }
    const { effectIds, newCommands } = await grantCandidates(this.#db, work.account, 1);
    if (newCommands > 0) {
      const answer = await retrying(ANSWER_SOON, () => createEffectsOfFeed(this.#db, gate, COMMANDS_MAX));
      const created = answer.kind === 'created' && answer.count > 0;
      // An adapter that asked while this was being committed went away with nothing; it would come back at its next poll only.
      if (created) this.#wake.emit({ stage: 'effect', account: work.account });
      return created;
    }
    // An account with effects that are due stays due for the adapter that will ask.
    if (effectIds.length === 0) await restEffects(this.#db, work);
    return false;
  }
}
