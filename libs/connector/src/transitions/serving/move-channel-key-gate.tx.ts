/**
 * move-channel-key-gate: carry the revision of a channel's key set to its gate, upwards only
 *
 * why     Admission verified a signature before its transaction; the gate tells it there whether those keys are still the ones (decisions 13.10).
 * paths   move-channel-key-gate
 * fence   gate row by (account, channel), and its fence below the revision: carriers may come late and in any order.
 * again   Account, channel and revision.
 */
import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conChannelKeyGate } from '@connector/schema/connector/serving';
import { connectorDoors } from '../../model/paths';

export type MoveChannelKeyGate = { readonly kind: 'moved' | 'already-there'; readonly fence: ChannelKeyFence };

export interface ChannelRevision {
  readonly account: AccountName;
  readonly channel: string;
  readonly revision: ChannelKeyFence;
}

const LOCK = lockRows(conChannelKeyGate, ['fence'], 'WHERE account = :account AND channel = :channel');
const MOVE = updateRows(
  conChannelKeyGate,
  'SET fence = :fence.next, changed_at = NOW(6) WHERE account = :account AND channel = :channel AND fence = :fence',
);

export function moveChannelKeyGate(db: Db, to: ChannelRevision): Promise<MoveChannelKeyGate> {
  return db.fenced(connectorDoors['move-channel-key-gate'], async (tx) => {
    const key = { account: to.account, channel: to.channel };
    const held = await tx.lock(LOCK, key);
    if (held !== undefined) return raise(tx, to, held.fence);
    if ((await tx.insertNew(conChannelKeyGate, { ...key, fence: to.revision })) === 'inserted')
      return { kind: 'moved', fence: to.revision };
    // An absent row locks nothing: another carrier was faster, and now the row is there to be locked.
    const born = await tx.lock(LOCK, key);
    invariant(born !== undefined, 'HOUSE:connector:ChannelKeyGateMissing', `${to.account} ${to.channel}: there and gone`);
    return raise(tx, to, born.fence);
  });
}

async function raise(tx: FencedTx, to: ChannelRevision, fence: ChannelKeyFence): Promise<MoveChannelKeyGate> {
  if (fence >= to.revision) return { kind: 'already-there', fence };
  const landed = await tx.cas(MOVE, { account: to.account, channel: to.channel, fence, 'fence.next': to.revision });
  invariant(landed, 'HOUSE:connector:CasUnexplained', `move-channel-key-gate did not land on ${to.account} ${to.channel}`);
  return { kind: 'moved', fence: to.revision };
}
