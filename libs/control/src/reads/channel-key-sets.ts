import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlChannelKeySet } from '@connector/schema/control/control';

export interface ChannelKeySet {
  readonly account: AccountName;
  readonly channel: string;
  readonly revision: ChannelKeyFence;
}

export const KEY_SETS_PAGE = 100;
const PAGE = readRows(
  ctlChannelKeySet,
  ['account', 'channel', 'revision'],
  `WHERE account > :account OR (account = :account AND channel > :channel) ORDER BY account, channel LIMIT ${KEY_SETS_PAGE}`,
);

/** At most 100 key sets after this channel, in bytewise order; `undefined` begins. */
export function readKeySets(db: Db, after: Pick<ChannelKeySet, 'account' | 'channel'> | undefined): Promise<readonly ChannelKeySet[]> {
  return db.read(PAGE, { account: after?.account ?? ('' as AccountName), channel: after?.channel ?? '' });
}
