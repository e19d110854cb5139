import type { AccountName, ChannelKeyFence, GateFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { EpochId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conChannelKeyGate, conServingGate } from '@connector/schema/connector/serving';
import { gateMachine, type GateMode } from '../../model/serving/gate';

/** A gate as it is seen without a lock: what work may be based on, never what decides it. */
export interface SeenGate {
  readonly account: AccountName;
  readonly accountPrefix: Buffer;
  readonly mode: GateMode;
  readonly fence: GateFence;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
}

const COLUMNS = ['account', 'account_prefix', 'mode', 'fence', 'epoch_id', 'epoch_digest'] as const;
const ONE = readRows(conServingGate, COLUMNS, 'WHERE account = :account');
const NEXT = readRows(conServingGate, COLUMNS, 'WHERE account > :account ORDER BY account LIMIT 500');
const KEY_FENCE = readRows(conChannelKeyGate, ['fence'], 'WHERE account = :account AND channel = :channel');

type Row = ReturnType<typeof ONE.decode>;

function seen(row: Row): SeenGate {
  const { account, account_prefix: accountPrefix, fence, epoch_id: epochId, epoch_digest: epochDigest } = row;
  return { account, accountPrefix, mode: gateMachine.parse(row.mode), fence, epochId, epochDigest };
}

export async function readGate(db: Db, account: AccountName): Promise<SeenGate | undefined> {
  const row = await db.readOne(ONE, { account });
  return row && seen(row);
}

/** At most 500 gates after this account, in bytewise order; `undefined` begins. */
export async function readGates(db: Db, after?: AccountName): Promise<readonly SeenGate[]> {
  return (await db.read(NEXT, { account: after ?? ('' as AccountName) })).map(seen);
}

/** The revision of a channel's keys that admission accepts now; undefined where the channel has no gate. */
export async function readChannelKeyFence(db: Db, account: AccountName, channel: string): Promise<ChannelKeyFence | undefined> {
  return (await db.readOne(KEY_FENCE, { account, channel }))?.fence;
}
