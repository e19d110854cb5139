import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { lockRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conChannelKeyGate } from '@connector/schema/connector/serving';

const LOCK = lockRows(conChannelKeyGate, ['fence'], 'WHERE account = :account AND channel = :channel');

/** The revision of the key set that admission may use now, locked; undefined where the channel has no gate, and that fails closed. */
export async function lockChannelKeyFence(tx: FencedTx, account: AccountName, channel: string): Promise<ChannelKeyFence | undefined> {
  return (await tx.lock(LOCK, { account, channel }))?.fence;
}
