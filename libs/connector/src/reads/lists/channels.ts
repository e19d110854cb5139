import type { AccountName } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conChannelKeyGate } from '@connector/schema/connector/serving';

const CHANNELS = readRows(conChannelKeyGate, ['channel', 'fence'], 'WHERE account = :account ORDER BY channel LIMIT 100', 'of-account');

/** The channels of an account that ever had a verification key, at most 100. */
export function readChannels(db: Db, account: AccountName) {
  return db.read(CHANNELS, { account });
}
