/**
 * retire-channel-key: a key version verifies no more
 *
 * why     The key itself is immutable and stays readable: receipts name the version that admitted them.
 * paths   retire-channel-key
 * fence   key set by (account, channel), held; the key there and not retired
 * again   Account, channel and key version.
 */
import type { ChannelKeyFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlChannelKeyRetirement } from '@connector/schema/control/control';
import { controlDoors } from '../model/paths';
import { lockKeySet, raiseKeySet, READ_KEY, type ChannelName } from './channel-key-set';

export interface RetireChannelKey extends ChannelName {
  readonly keyVersion: number;
  readonly reason: string;
}
export type RetiredChannelKey =
  { readonly kind: 'retired' | 'already-retired'; readonly revision: ChannelKeyFence } | { readonly kind: 'no-key' };

const RETIRED = readRows(
  ctlChannelKeyRetirement,
  ['retired_revision'],
  'WHERE account = :account AND channel = :channel AND key_version = :key_version',
);

export function retireChannelKey(db: Db, input: RetireChannelKey): Promise<RetiredChannelKey> {
  return db.fenced(controlDoors['retire-channel-key'], async (tx) => {
    const revision = await lockKeySet(tx, input);
    const key = { account: input.account, channel: input.channel, key_version: input.keyVersion };
    if (revision === undefined || (await tx.read(READ_KEY, key)).length === 0) return { kind: 'no-key' };
    const next = (revision + 1n) as ChannelKeyFence;
    const inserted = await tx.insertNew(ctlChannelKeyRetirement, { ...key, retired_revision: next, reason: input.reason });
    if (inserted === 'inserted') return { kind: 'retired', revision: await raiseKeySet(tx, input, revision) };
    const [standing] = await tx.read(RETIRED, key);
    invariant(standing !== undefined, 'HOUSE:control:RowVanished', 'a retirement was there and is not');
    return { kind: 'already-retired', revision: standing.retired_revision };
  });
}
