/**
 * ECLM claim-effects: prepared effects begin their next attempt
 *
 * why     An attempt names the references that were frozen in the command; it authorizes no I/O by itself (con:ECLM-P).
 * fence   the standard fence, and the locked effect: `prepared`, due, and still what its command says.
 * again   effect and attempt ordinal: a claimed effect is no longer `prepared` in the commit that claims it.
 */
import type { AccountName, Instant } from '@connector/kernel/brand';
import type { EffectId } from '@connector/kernel/ids';
import { lockRows, readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEffectAttempt, conRemoteEffect } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import { effectMachine, type EffectState } from '../../model/outbound/effect';
import { effectOf, type FrozenReferences } from './create-effects.step';

const DUE = lockRows(
  conRemoteEffect,
  [
    'effect_id',
    'outbound_command_id',
    'account',
    'logical_effect_digest',
    'epoch_id',
    'epoch_digest',
    'credential_generation_id',
    'request_digest',
    'state',
    'attempt_count',
    'due_at',
  ],
  'WHERE effect_id IN (:effect_id)',
);
const FROZEN = readRows(
  runOutboundCommand,
  [
    'outbound_command_id',
    'idempotency_key',
    'epoch_id',
    'epoch_digest',
    'route_policy_digest',
    'credential_generation_id',
    'request_digest',
  ],
  'WHERE outbound_command_id IN (:outbound_command_id)',
  'frozen',
);

/** An effect under its lock (or new in this transaction), beside what its command froze. */
export interface HeldEffect {
  readonly effectId: EffectId;
  readonly state: EffectState;
  readonly attemptCount: number;
  readonly dueAt: Instant;
  /** Undefined where effect and command disagree. */
  readonly frozen: FrozenReferences | undefined;
}

/** These effects of the account, locked. Commands never change, so they are read plainly. */
export async function lockEffects(tx: FencedTx, account: AccountName, ids: readonly EffectId[]): Promise<readonly HeldEffect[]> {
  if (ids.length === 0) return [];
  const rows = (await tx.lockMany(DUE, { effect_id: ids })).filter((row) => row.account === account);
  if (rows.length === 0) return [];
  const commands = await tx.read(FROZEN, { outbound_command_id: rows.map((row) => row.outbound_command_id) });
  const byId = new Map(commands.map((command) => [command.outbound_command_id, command]));
  return rows.map((row) => ({
    effectId: row.effect_id,
    state: effectMachine.parse(row.state),
    attemptCount: row.attempt_count,
    dueAt: row.due_at,
    frozen: agreed(row, byId.get(row.outbound_command_id)),
  }));
}

/** con:EMAT-X con:ECLM-X: the digest that the effect repeats and every reference that it copied are the command's. */
function agreed(row: ReturnType<typeof DUE.decode>, command: ReturnType<typeof FROZEN.decode> | undefined): FrozenReferences | undefined {
  const agree =
    command !== undefined &&
    row.effect_id === effectOf(command.outbound_command_id) &&
    row.logical_effect_digest === command.idempotency_key &&
    row.epoch_id === command.epoch_id &&
    row.epoch_digest === command.epoch_digest &&
    row.credential_generation_id === command.credential_generation_id &&
    row.request_digest === command.request_digest;
  return agree ? command : undefined;
}

/** An effect with agreed references, about to be tried. */
export interface Claimable extends HeldEffect {
  readonly frozen: FrozenReferences;
}

/** The next attempt of each, with the frozen references of its command (con:ECLM-W). */
export async function claimEffects(tx: FencedTx, effects: readonly Claimable[]): Promise<void> {
  await tx.insert(
    conEffectAttempt,
    effects.map(({ effectId, attemptCount, frozen }) => ({
      effect_id: effectId,
      ordinal: attemptCount + 1,
      epoch_id: frozen.epoch_id,
      route_policy_digest: frozen.route_policy_digest,
      request_digest: frozen.request_digest,
      credential_generation_id: frozen.credential_generation_id,
    })),
  );
}
