import { grantCandidates } from '@connector/connector/reads/outbound/grant-candidates';
import { heldPermits } from '@connector/connector/reads/outbound/held-permits';
import { readDueWork, type DueWork } from '@connector/connector/reads/serving/due-work';
import { readGate } from '@connector/connector/reads/serving/gates';
import { grant, type Grant, type GrantInput } from '@connector/connector/transitions/outbound/grant.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { restEffects, restHalted } from './rest-effects';

type Holder = GrantInput['holder'];

export interface GrantAsk {
  readonly holder: Holder;
  /** 1..100: how many granted permits the adapter may have afterwards, those that it has already included. */
  readonly slots: number;
}

export type Grants =
  { readonly kind: 'granted'; readonly granted: number; readonly accountsLooked: number } | { readonly kind: 'holder-fenced-off' };

/** What one account gave. `more`: effects that are due stayed prepared for want of a slot. */
type Looked = { readonly kind: 'looked'; readonly granted: number; readonly more: boolean } | { readonly kind: 'holder-fenced-off' };

const NOTHING: Looked = { kind: 'looked', granted: 0, more: false };
const EFFECTS_LOOKED = 100;
const NEW_COMMANDS = 200;

/** Grants permits to the adapter that asks, spread over the accounts that have something due (decisions 13.2). */
export class Granter {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** First a share for every account, longest due first; then what is left to those that have more. */
  async grants(ask: GrantAsk): Promise<Grants> {
    const due = await readDueWork(this.#db, 'effect');
    if (due.length === 0) return { kind: 'granted', granted: 0, accountsLooked: 0 };
    let held = await heldPermits(this.#db, ask.holder);
    let granted = 0;
    const take = async (work: DueWork, share: number): Promise<Looked> => {
      const looked = await this.#account(work, { ...ask, slots: Math.min(ask.slots, held + share) });
      if (looked.kind === 'looked') [held, granted] = [held + looked.granted, granted + looked.granted];
      return looked;
    };
    const hungry: DueWork[] = [];
    let accountsLooked = 0;
    for (const work of due) {
      if (held >= ask.slots) break;
      const looked = await take(work, Math.ceil((ask.slots - held) / (due.length - accountsLooked)));
      if (looked.kind === 'holder-fenced-off') return looked;
      accountsLooked += 1;
      if (looked.more) hungry.push(work);
    }
    for (const work of hungry) {
      if (held >= ask.slots) break;
      const looked = await take(work, ask.slots - held);
      if (looked.kind === 'holder-fenced-off') return looked;
    }
    return { kind: 'granted', granted, accountsLooked };
  }

  async #account(work: DueWork, { holder, slots }: GrantAsk): Promise<Looked> {
    const basis = await readGate(this.#db, work.account);
    if (basis?.mode !== 'v2_serving') {
      await restHalted(this.#db, work);
      return NOTHING;
    }
    const candidates = await grantCandidates(this.#db, work.account, EFFECTS_LOOKED);
    const idle = candidates.effectIds.length + candidates.newCommands === 0;
    const input = { basis, holder, slots, candidates, newCommands: NEW_COMMANDS };
    const answer = idle ? undefined : await retrying(ANSWER_SOON, () => grant(this.#db, input));
    if (answer === undefined || answer.kind === 'decided') await restEffects(this.#db, work);
    return answer === undefined ? NOTHING : lookedOf(answer);
  }
}

/** A gate that moved between look and lock leaves its account due; the next ask sees it as it is. */
function lookedOf(answer: Grant): Looked {
  if (answer.kind === 'holder-fenced-off') return answer;
  if (answer.kind !== 'decided') return NOTHING;
  const kinds = answer.effects.map(({ kind }) => kind);
  return { kind: 'looked', granted: kinds.filter((kind) => kind === 'granted').length, more: kinds.includes('no-slot') };
}
