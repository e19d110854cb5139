import type { AccountName, ChannelKeyFence, Instant } from '@connector/kernel/brand';
import { flag, nullable } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlChannelKey, ctlChannelKeySet } from '@connector/schema/control/control';

/** A key version that verifies now. */
export interface ActiveChannelKey {
  readonly keyVersion: number;
  readonly scheme: string;
  readonly secretPath: string;
  readonly secretVersion: string;
  readonly endsAt: Instant | null;
  /** Of the time from its addition to its end the last tenth has begun: somebody is told. */
  readonly ending: boolean;
}
export interface ActiveChannelKeys {
  /** What the keys are true of: admission holds them against the channel-key gate. */
  readonly revision: ChannelKeyFence;
  readonly keys: readonly ActiveChannelKey[];
}

const KEY = ctlChannelKey.columns;
/** One statement, so that revision and keys are of one moment; the set's row comes back even where no key is left. */
const ACTIVE = readQuery(
  ctlChannelKey,
  {
    revision: ctlChannelKeySet.columns.revision,
    key_version: nullable(KEY.key_version),
    scheme: nullable(KEY.scheme),
    secret_path: nullable(KEY.secret_path),
    secret_version: nullable(KEY.secret_version),
    ends_at: KEY.ends_at,
    ending: flag(),
  },
  `SELECT s.revision, k.key_version, k.scheme, k.secret_path, k.secret_version, k.ends_at,
          k.ends_at IS NOT NULL AND TIMESTAMPDIFF(MICROSECOND, NOW(6), k.ends_at) * 10
            <= TIMESTAMPDIFF(MICROSECOND, k.added_at, k.ends_at) AS ending
     FROM ctl_channel_key_set s
     LEFT JOIN (SELECT c.account, c.channel, c.key_version, c.scheme, c.secret_path, c.secret_version, c.ends_at, c.added_at
                  FROM ctl_channel_key c
                  LEFT JOIN ctl_channel_key_retirement r
                    ON r.account = c.account AND r.channel = c.channel AND r.key_version = c.key_version
                 WHERE c.account = :account AND c.channel = :channel AND r.key_version IS NULL
                   AND (c.ends_at IS NULL OR c.ends_at > NOW(6))) k
       ON k.account = s.account AND k.channel = s.channel
    WHERE s.account = :account AND s.channel = :channel
    ORDER BY k.key_version LIMIT 100`,
);

/** The keys that verify now, by the database's clock; undefined where the channel never had one. */
export async function readActiveChannelKeys(db: Db, account: AccountName, channel: string): Promise<ActiveChannelKeys | undefined> {
  const rows = await db.read(ACTIVE, { account, channel });
  const [first] = rows;
  return first && { revision: first.revision, keys: rows.flatMap(keyOf) };
}

function keyOf(row: ReturnType<typeof ACTIVE.decode>): readonly ActiveChannelKey[] {
  const { key_version: keyVersion, scheme, secret_path: secretPath, secret_version: secretVersion, ends_at: endsAt, ending } = row;
  if (keyVersion === null || scheme === null || secretPath === null || secretVersion === null) return [];
  return [{ keyVersion, scheme, secretPath, secretVersion, endsAt, ending }];
}
