import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { ctlChannelKey, ctlChannelKeySet } from '@connector/schema/control/control';

export interface ChannelName {
  readonly account: AccountName;
  readonly channel: string;
}

const LOCK = lockRows(ctlChannelKeySet, ['revision'], 'WHERE account = :account AND channel = :channel');
const RAISE = updateRows(
  ctlChannelKeySet,
  'SET revision = :revision.next WHERE account = :account AND channel = :channel AND revision = :revision',
);
export const READ_KEY = readRows(
  ctlChannelKey,
  ['scheme', 'secret_path', 'secret_version', 'ends_at', 'added_revision'],
  'WHERE account = :account AND channel = :channel AND key_version = :key_version',
);

/** The revision of the set, locked; undefined where the channel never had a key. */
export async function lockKeySet(tx: FencedTx, { account, channel }: ChannelName): Promise<ChannelKeyFence | undefined> {
  return (await tx.lock(LOCK, { account, channel }))?.revision;
}

/** The set of a channel's first key, at revision 0. An absent row locks nothing, so a second author may have been faster. */
export async function openKeySet(tx: FencedTx, channel: ChannelName): Promise<ChannelKeyFence> {
  const none = 0n as ChannelKeyFence;
  const row = { account: channel.account, channel: channel.channel, revision: none };
  if ((await tx.insertNew(ctlChannelKeySet, row)) === 'inserted') return none;
  const revision = await lockKeySet(tx, channel);
  invariant(revision !== undefined, 'HOUSE:control:RowVanished', 'a key set was there and is not');
  return revision;
}

/** Every change of the set is one revision; whoever changed it carries the new one to the connector's gate. */
export async function raiseKeySet(tx: FencedTx, { account, channel }: ChannelName, revision: ChannelKeyFence): Promise<ChannelKeyFence> {
  const next = (revision + 1n) as ChannelKeyFence;
  const landed = await tx.cas(RAISE, { account, channel, revision, 'revision.next': next });
  invariant(landed, 'HOUSE:control:CasUnexplained', `${tx.door.name} did not land on ${account} ${channel}`);
  return next;
}
