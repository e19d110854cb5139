import { readChannelKeyFences } from '@connector/connector/reads/serving/channel-key-fences';
import { moveChannelKeyGate } from '@connector/connector/transitions/serving/move-channel-key-gate.tx';
import { KEY_SETS_PAGE, readKeySets, type ChannelKeySet } from '@connector/control/reads/channel-key-sets';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';

/**
 * Carries key sets whose gate is behind: whoever changed one died between its two commits. Until then admission goes on under the old
 * keys, or under none. A look takes one page; where it stood is worth nothing to anybody else.
 */
export class KeySetCarrier {
  readonly #db: Db;
  #after: ChannelKeySet | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    const page = await readKeySets(this.#db, this.#after);
    for (const set of await this.#behind(page)) {
      if (signal.aborted) return 'idle';
      await retrying(ANSWER_SOON, () => moveChannelKeyGate(this.#db, set));
    }
    this.#after = page.length < KEY_SETS_PAGE ? undefined : page.at(-1);
    return this.#after === undefined ? 'idle' : 'worked';
  }

  /** The gates are read after the sets: a gate that is ahead of what was read belongs to a later change, which its own author carries. */
  async #behind(page: readonly ChannelKeySet[]): Promise<readonly ChannelKeySet[]> {
    const gates = await readChannelKeyFences(
      this.#db,
      page.map(({ account }) => account),
    );
    const fences = new Map(gates.map(({ account, channel, fence }) => [`${account}/${channel}`, fence]));
    return page.filter(({ account, channel, revision }) => (fences.get(`${account}/${channel}`) ?? 0n) < revision);
  }
}
