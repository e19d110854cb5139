import { OperationId } from '@connector/kernel/ids';
import { readDueWork, type DueWork } from '@connector/connector/reads/serving/due-work';
import { readGate, type SeenGate } from '@connector/connector/reads/serving/gates';
import { concludeHalt, type ConcludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { COORDINATOR } from './names';

/**
 * Moves halting accounts on once their last permit is closed. An account with an open permit rests until one closes: whoever settles or
 * abandons raises it again in the same commit, and no time does (con:HLTD-X).
 */
export class ConcludeHalts {
  constructor(private readonly db: Db) {}

  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    let worked = false;
    for (const due of await readDueWork(this.db, 'halt')) {
      if (signal.aborted) break;
      worked = (await this.#account(due)) || worked;
    }
    return worked ? 'worked' : 'idle';
  }

  async #account({ account, produced }: DueWork): Promise<boolean> {
    const gate = await readGate(this.db, account);
    if (gate?.mode === 'halting_v2') {
      const answer = await this.#conclude(gate);
      // The gate moved between the look and the lock: it is looked at again.
      if (answer.kind !== 'halted' && answer.kind !== 'open-permits') return false;
    }
    await restWork(this.db, { stage: 'halt', account, producedSeen: produced, dueAt: null });
    return true;
  }

  #conclude({ account, fence }: SeenGate): Promise<ConcludeHalt> {
    const move = { operationId: OperationId.mint(), account, expectedFence: fence, by: COORDINATOR, reason: 'no permit is open' };
    return retrying(ANSWER_SOON, () => concludeHalt(this.db, move));
  }
}
