/**
 * OAU author-outbound: outbound commands in the feeds of their destinations
 *
 * why     `feed_seq` is gapless because the head moves in the transaction that uses it, under the destination's gate.
 * fence   the standard fences of source and destinations, taken by the door.
 * again   Scope, root, slot and generation name a command; a tuple that exists is answered before anything is written.
 */
import type { AccountName } from '@connector/kernel/brand';
import { u64 } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { runFeedHead, runOutboundCommand } from '@connector/schema/runtime/runtime';
import { AUTHORING_PROFILE, type AuthoredCommand } from '../model/authored-command';

const HEAD = lockRows(runFeedHead, ['next_seq'], 'WHERE account = :account');
const MOVE = updateRows(runFeedHead, 'SET next_seq = :next_seq.next WHERE account = :account AND next_seq = :next_seq', '', {
  next_seq: u64(),
});
const KNOWN = readRows(runOutboundCommand, ['outbound_command_id'], 'WHERE outbound_command_id IN (:outbound_command_id) LIMIT 1');

/** Whether any of these tuples is taken. The gates of their accounts are held, so absence may decide. */
export async function commandsThatExist(tx: FencedTx, commands: readonly AuthoredCommand[]): Promise<boolean> {
  if (commands.length === 0) return false;
  const known = await tx.read(KNOWN, { outbound_command_id: commands.map(({ outboundCommandId }) => outboundCommandId) });
  return known.length > 0;
}

export async function authorOutbound(tx: FencedTx, commands: readonly AuthoredCommand[]): Promise<void> {
  const accounts = [...new Set(commands.map(({ account }) => account))].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const rows = [];
  for (const account of accounts) {
    const theirs = commands.filter((command) => command.account === account);
    const first = await reserve(tx, account, BigInt(theirs.length));
    rows.push(...theirs.map((command, index) => commandRow(command, first + BigInt(index))));
  }
  await tx.insert(runOutboundCommand, rows);
}

/** The first of `count` sequence numbers of this feed. */
async function reserve(tx: FencedTx, account: AccountName, count: bigint): Promise<bigint> {
  const head = await tx.lock(HEAD, { account });
  if (head === undefined) {
    await tx.insert(runFeedHead, [{ account, next_seq: 1n + count }]);
    return 1n;
  }
  const landed = await tx.cas(MOVE, { account, next_seq: head.next_seq, 'next_seq.next': head.next_seq + count });
  invariant(landed, 'HOUSE:runtime:FeedHead', `feed head of ${account} moved under its lock`);
  return head.next_seq;
}

function commandRow(command: AuthoredCommand, feedSeq: bigint) {
  return {
    outbound_command_id: command.outboundCommandId,
    idempotency_key: command.idempotencyKey,
    application_scope: command.applicationScope,
    effect_root: command.effectRoot,
    effect_slot: command.effectSlot,
    effect_generation_id: command.effectGenerationId,
    intent: command.intent,
    account: command.account,
    feed_seq: feedSeq,
    command_id: command.commandId,
    execution_id: command.executionId,
    epoch_id: command.epochId,
    epoch_digest: command.epochDigest,
    pack_generation_storage_id: command.packGenerationStorageId,
    pack_payload_digest: command.packPayloadDigest,
    effect_definition: command.effectDefinition,
    definition_version: command.definitionVersion,
    route_policy_digest: command.routePolicyDigest,
    configuration_id: command.configurationId,
    configuration_digest: command.configurationDigest,
    credential_generation_id: command.credentialGenerationId,
    digest_profile: AUTHORING_PROFILE,
    request_digest: command.requestDigest,
    provider_key: command.providerKey,
    binding_digest: command.bindingDigest,
    request: command.request,
    request_bytes: command.request.length,
  };
}
