import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conChannelKeyGate } from '@connector/schema/connector/serving';

export interface ChannelKeyGate {
  readonly account: AccountName;
  readonly channel: string;
  readonly fence: ChannelKeyFence;
}

/** An account has at most 100 channels, and 100 accounts are asked for at a time. */
const FENCES = readRows(conChannelKeyGate, ['account', 'channel', 'fence'], 'WHERE account IN (:account) LIMIT 10000');

/** The channel-key gates of these accounts, at most 100 of them; a channel that is missing has no gate. */
export async function readChannelKeyFences(db: Db, accounts: readonly AccountName[]): Promise<readonly ChannelKeyGate[]> {
  return accounts.length === 0 ? [] : db.read(FENCES, { account: [...new Set(accounts)] });
}
