/**
 * EMAT create-effects: new commands of the outbound feed become effects, whether or not an adapter asks for permits
 *
 * why     What is to be sent is an effect that can be seen and explained, also while no adapter runs.
 * paths   create-effects
 * fence   the standard fence and the feed cursor.
 * again   Same call: the cursor moved in the same commit, so the same commands are not met again.
 */
import { invariant } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { lockServingGate, type GateBasis, type NotServing } from '../../fences/serving-gate';
import { connectorDoors } from '../../model/paths';
import { createEffects, NEW_COMMANDS_MAX, readNewCommands } from './create-effects.step';

export type CreateEffects = NotServing | { readonly kind: 'created'; readonly count: number };

/** At most `limit` (1..200) commands of the account. */
export function createEffectsOfFeed(db: Db, basis: GateBasis, limit: number): Promise<CreateEffects> {
  invariant(limit >= 1 && limit <= NEW_COMMANDS_MAX, 'HOUSE:connector:CreateLimit', `1 to ${NEW_COMMANDS_MAX} commands a door`);
  return db.fenced(connectorDoors['create-effects'], async (tx) => {
    const serving = await lockServingGate(tx, basis);
    if (serving.kind !== 'serving') return serving;
    const found = await readNewCommands(tx, serving.gate.account, limit);
    await createEffects(tx, serving.gate.account, found);
    return { kind: 'created', count: found.commands.length };
  });
}
