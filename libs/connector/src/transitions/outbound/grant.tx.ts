/**
 * EMAT ECLM PACQ grant: commands of the feed become effects, due effects become permits of one holder
 *
 * why     A call is made possible in one commit: effect, attempt and permit with the fences that it is granted under.
 * paths   create-effects, claim-effects, acquire-permits
 * fence   the standard fence; the credential gates of the candidates, enabled; the feed cursor; effects prepared, due and as their
 *         commands say; the holder's current fence. All is judged before anything is written.
 * again   Same call: effects that were granted are `not-prepared`, and `slots` counts what the holder was granted already, so a lost
 *         answer grants nothing beyond it; the holder finds its permits by (holder, fence, granted) (decisions 13.2).
 */
import type { Instant } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { CredentialGenerationId, EffectId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { lockCredentialGate, type CredentialGate } from '../../fences/credential-gate';
import { lockServingGate, type Gate, type GateBasis, type NotServing } from '../../fences/serving-gate';
import { connectorDoors } from '../../model/paths';
import {
  acquirePermits,
  lockHolderRoom,
  judgeEffect,
  type Grantable,
  type GrantEffect,
  type Holder,
  type LockedCredentials,
} from './acquire-permits.step';
import { claimEffects, lockEffects, type HeldEffect } from './claim-effects.step';
import { createEffects, effectOf, NEW_COMMANDS_MAX, readNewCommands, type NewCommands } from './create-effects.step';

export const SLOTS_MAX = 100;
export const EFFECTS_MAX = 100;
export const CREDENTIALS_MAX = 16;

export interface GrantInput {
  readonly basis: GateBasis;
  readonly holder: Holder;
  /** 1..100: how many granted permits the holder may have when this has answered, those that it has already included. */
  readonly slots: number;
  /** Read before without a lock, oldest first: at most 100 effects and 16 generations. Another generation is not granted for. */
  readonly candidates: { readonly effectIds: readonly EffectId[]; readonly credentialGenerationIds: readonly CredentialGenerationId[] };
  /** 0..200: how many new commands to turn into effects at most. */
  readonly newCommands: number;
}

export type Grant =
  | NotServing
  | { readonly kind: 'holder-fenced-off' }
  /** An answer for each candidate in its order, then for each new effect in feed order. */
  | { readonly kind: 'decided'; readonly created: number; readonly effects: readonly GrantEffect[] };

export function grant(db: Db, input: GrantInput): Promise<Grant> {
  checkLimits(input);
  return db.fenced(connectorDoors.grant, async (tx) => {
    const serving = await lockServingGate(tx, input.basis);
    if (serving.kind !== 'serving') return serving;
    const { gate } = serving;
    const credentials = await lockCredentialGates(tx, input.candidates.credentialGenerationIds);
    const found = await readNewCommands(tx, gate.account, input.newCommands);
    // The new ones too, absent as they are: the door takes its place in the lock order before it goes on to the holder.
    const held = await lockEffects(tx, gate.account, [...input.candidates.effectIds, ...found.commands.map(effectOfCommand)]);
    const holder = await lockHolderRoom(tx, input.holder, input.slots);
    if (holder === undefined) return { kind: 'holder-fenced-off' };
    const { room, now } = holder;
    const known = [...inOrder(input.candidates.effectIds, held), ...newEffects(found)];
    const judged = known.map((effect) => ('kind' in effect ? effect : judgeEffect(effect, gate, now, credentials)));
    const grants = judged.filter((verdict) => verdict.kind === 'grantable').slice(0, room);
    await createEffects(tx, gate.account, found);
    const granted = await acquire(tx, gate, input.holder, grants, now);
    return { kind: 'decided', created: found.commands.length, effects: judged.map((verdict) => answerOf(verdict, granted)) };
  });
}

async function acquire(tx: FencedTx, gate: Gate, holder: Holder, grants: readonly Grantable[], now: Instant): Promise<Granted> {
  await claimEffects(
    tx,
    grants.map(({ effect }) => effect),
  );
  const permits = await acquirePermits(tx, gate, holder, grants, now);
  return new Map(permits.map((permit) => [permit.effectId, permit]));
}

type Granted = ReadonlyMap<EffectId, GrantEffect>;

function answerOf(verdict: GrantEffect | Grantable, granted: Granted): GrantEffect {
  if (verdict.kind !== 'grantable') return verdict;
  return granted.get(verdict.effectId) ?? { kind: 'no-slot', effectId: verdict.effectId };
}

const effectOfCommand = (command: NewCommands['commands'][number]): EffectId => effectOf(command.outbound_command_id);

/** Every candidate once, in the order given. */
function inOrder(ids: readonly EffectId[], held: readonly HeldEffect[]): readonly (HeldEffect | GrantEffect)[] {
  const byId = new Map(held.map((effect) => [effect.effectId, effect]));
  return [...new Set(ids)].map((effectId) => byId.get(effectId) ?? { kind: 'not-found', effectId });
}

/** What this transaction is about to create: nobody else can see them, so they need no lock. */
function newEffects({ commands, now }: NewCommands): readonly HeldEffect[] {
  return commands.map((command) => ({
    effectId: effectOfCommand(command),
    state: 'prepared',
    attemptCount: 0,
    dueAt: now,
    frozen: command,
  }));
}

/** One statement each, ascending; a generation whose gate is missing stands for itself as undefined. */
async function lockCredentialGates(tx: FencedTx, generations: readonly CredentialGenerationId[]): Promise<LockedCredentials> {
  const gates = new Map<CredentialGenerationId, CredentialGate | undefined>();
  for (const generation of [...new Set(generations)].sort()) gates.set(generation, await lockCredentialGate(tx, generation));
  return gates;
}

function checkLimits({ slots, newCommands, candidates }: GrantInput): void {
  const { effectIds, credentialGenerationIds } = candidates;
  const within =
    slots >= 1 &&
    slots <= SLOTS_MAX &&
    newCommands >= 0 &&
    newCommands <= NEW_COMMANDS_MAX &&
    effectIds.length <= EFFECTS_MAX &&
    credentialGenerationIds.length <= CREDENTIALS_MAX;
  invariant(within, 'HOUSE:connector:GrantLimits', 'slots, commands, effects or credential generations are beyond the limits of the door');
}
