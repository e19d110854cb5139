/**
 * EMAT create-effects: new commands of the account's outbound feed become effects, one each
 *
 * why     The command is the Runtime's intent; its effect is the sole authority over what became of it (con:REFF-F).
 * fence   the standard fence, and the feed cursor: whoever holds it makes the next effects.
 * again   The cursor moved in the same commit, so the same commands are not met again; the command id is the key of its effect.
 */
import type { AccountName, Instant } from '@connector/kernel/brand';
import { instant } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import { EffectGenerationId, EffectId, OutboundCommandId } from '@connector/kernel/ids';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEffectFeed, conRemoteEffect } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import { logicalEffectDigest } from '../../model/digests/effect';

export const NEW_COMMANDS_MAX = 200;

const CURSOR = lockRows(conEffectFeed, ['next_seq'], 'WHERE account = :account', {
  computed: { now: { sql: 'NOW(6)', column: instant() } },
});
const NEW = readRows(
  runOutboundCommand,
  [
    'outbound_command_id',
    'idempotency_key',
    'application_scope',
    'effect_root',
    'effect_slot',
    'effect_generation_id',
    'feed_seq',
    'epoch_id',
    'epoch_digest',
    'route_policy_digest',
    'credential_generation_id',
    'request_digest',
  ],
  `WHERE account = :account AND feed_seq >= :feed_seq ORDER BY feed_seq LIMIT ${NEW_COMMANDS_MAX}`,
  'new',
);
const ADVANCE = updateRows(conEffectFeed, 'SET next_seq = :next_seq.next WHERE account = :account AND next_seq = :next_seq');

type NewCommand = ReturnType<typeof NEW.decode>;
/** What an attempt and a permit take from the command, unchanged (con:FDB-M). */
export type FrozenReferences = Pick<
  NewCommand,
  'epoch_id' | 'epoch_digest' | 'route_policy_digest' | 'credential_generation_id' | 'request_digest'
>;

export interface NewCommands {
  readonly cursor: bigint;
  /** The database's clock under the cursor: when their effects become due. */
  readonly now: Instant;
  readonly commands: readonly NewCommand[];
}

/** One effect per command: the same 16 bytes (con:REFF-K). */
export const effectOf = (command: OutboundCommandId): EffectId => EffectId.of(OutboundCommandId.bytes(command));

/** The next commands of the feed under its locked cursor, at most `limit`; nothing is written yet. */
export async function readNewCommands(tx: FencedTx, account: AccountName, limit: number): Promise<NewCommands> {
  const feed = await tx.lock(CURSOR, { account });
  invariant(feed !== undefined, 'HOUSE:connector:EffectFeedMissing', `${account} has no feed cursor`);
  const found = await tx.read(NEW, { account, feed_seq: feed.next_seq });
  const commands = found.slice(0, limit);
  commands.forEach((command, index) => mustFollow(command, feed.next_seq + BigInt(index)));
  return { cursor: feed.next_seq, now: feed.now, commands };
}

/**
 * The feed is gapless under the gate that its author held, and its key is the digest of its tuple. Where either is not so, this
 * account's feed stops here rather than losing or repeating a call (con:EMAT-X).
 */
function mustFollow(command: NewCommand, sequence: bigint): void {
  const { outbound_command_id, application_scope, effect_root, effect_slot, effect_generation_id } = command;
  invariant(command.feed_seq === sequence, 'HOUSE:connector:FeedGap', `expected feed_seq ${sequence}, found ${command.feed_seq}`);
  const expected = logicalEffectDigest({
    applicationScope: application_scope,
    effectRoot: effect_root,
    slot: effect_slot,
    generationId: EffectGenerationId.bytes(effect_generation_id),
  });
  const repeats = expected.digest === command.idempotency_key && expected.id === outbound_command_id;
  invariant(repeats, 'HOUSE:connector:CommandDigest', `${outbound_command_id} is not named by its own tuple`);
}

/** Writes the effects, `prepared` and due at once, and moves the cursor over their commands (con:EMAT-W). */
export async function createEffects(tx: FencedTx, account: AccountName, found: NewCommands): Promise<void> {
  const { cursor, now, commands } = found;
  if (commands.length === 0) return;
  await tx.insert(
    conRemoteEffect,
    commands.map((command) => ({
      effect_id: effectOf(command.outbound_command_id),
      outbound_command_id: command.outbound_command_id,
      account,
      logical_effect_digest: command.idempotency_key,
      epoch_id: command.epoch_id,
      epoch_digest: command.epoch_digest,
      credential_generation_id: command.credential_generation_id,
      request_digest: command.request_digest,
      state: 'prepared',
      reason: null,
      attempt_count: 0,
      ready_account: account,
      finalize_account: null,
      due_at: now,
      uncertain_account: null,
    })),
  );
  const moved = await tx.cas(ADVANCE, { account, next_seq: cursor, 'next_seq.next': cursor + BigInt(commands.length) });
  invariant(moved, 'HOUSE:connector:CasUnexplained', `the feed cursor of ${account} moved under its lock`);
}
