/** The two ways of an effect whose call is over and not confirmed, for the doors that close permits. */
import { invariant } from '@connector/kernel/faults';
import type { EffectId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEffectEvidence, conRemoteEffect } from '@connector/schema/connector/outbound';

const EFFECTS = lockRows(conRemoteEffect, ['effect_id', 'account', 'state', 'attempt_count'], 'WHERE effect_id IN (:effect_id)');
// The delay differs by effect and stands in the evidence that this transaction wrote: one statement, whatever the number of effects, and
// still of one table.
const DELAY_MS = `(SELECT e.retry_ms FROM ${conEffectEvidence.name} e
     WHERE e.effect_id = ${conRemoteEffect.name}.effect_id AND e.attempt_ordinal = ${conRemoteEffect.name}.attempt_count LIMIT 1)`;
const AGAIN = updateRows(
  conRemoteEffect,
  `SET state = 'prepared', ready_account = account, due_at = NOW(6) + INTERVAL ${DELAY_MS} * 1000 MICROSECOND, changed_at = NOW(6)
 WHERE effect_id IN (:effect_id) AND state = 'dispatching'`,
  'again',
);
// Nobody asked the provider anything. The user of this door may write evidence and not read it, so no delay is looked up there.
const AT_ONCE = updateRows(
  conRemoteEffect,
  `SET state = 'prepared', ready_account = account, due_at = NOW(6), changed_at = NOW(6)
 WHERE effect_id IN (:effect_id) AND state = 'dispatching'`,
  'again',
);
const UNKNOWN = updateRows(
  conRemoteEffect,
  `SET state = 'uncertain', uncertain_account = account, changed_at = NOW(6)
 WHERE effect_id IN (:effect_id) AND state = 'dispatching'`,
  'unknown',
);

export type LockedEffect = ReturnType<typeof EFFECTS.decode>;

/** The effects of these permits, locked before the permits (decisions 3.2). */
export async function lockEffectsOf(tx: FencedTx, effectIds: readonly EffectId[]): Promise<ReadonlyMap<EffectId, LockedEffect>> {
  const rows = await tx.lockMany(EFFECTS, { effect_id: effectIds });
  return new Map(rows.map((row) => [row.effect_id, row]));
}

/** The effect of an open permit is `dispatching` in the attempt of that permit; anything else is our mistake. */
export function dispatchingEffect(effect: LockedEffect | undefined, attemptOrdinal: number): LockedEffect {
  const holds = effect !== undefined && effect.state === 'dispatching' && effect.attempt_count === attemptOrdinal;
  invariant(holds, 'HOUSE:connector:EffectBehindPermit', `an open permit of attempt ${attemptOrdinal} has no dispatching effect`);
  return effect;
}

/** dispatching → prepared, due when the evidence of the attempt says (con:REFF-06). */
export async function prepareAgain(tx: FencedTx, effectIds: readonly EffectId[]): Promise<void> {
  if (effectIds.length > 0) mustLand(await tx.update(AGAIN, { effect_id: effectIds }), effectIds);
}

/** dispatching → prepared, due now: for a call that its holder never began. */
export async function prepareAtOnce(tx: FencedTx, effectIds: readonly EffectId[]): Promise<void> {
  if (effectIds.length > 0) mustLand(await tx.update(AT_ONCE, { effect_id: effectIds }), effectIds);
}

/** dispatching → uncertain (con:REFF-04). */
export async function leaveUncertain(tx: FencedTx, effectIds: readonly EffectId[]): Promise<void> {
  if (effectIds.length > 0) mustLand(await tx.update(UNKNOWN, { effect_id: effectIds }), effectIds);
}

/** The rows are locked and judged, so every one of them lands. */
export function mustLand(landed: number, ids: readonly unknown[]): void {
  invariant(landed === ids.length, 'HOUSE:connector:CasUnexplained', `${landed} of ${ids.length} landed under their locks`);
}
