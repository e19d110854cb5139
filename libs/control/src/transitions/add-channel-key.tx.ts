/**
 * add-channel-key: a further verification key version of a channel
 *
 * why     Keys that admit callers are rotated without a drain: several may verify at a time (decisions 13.10).
 * paths   add-channel-key
 * fence   key set by (account, channel), held; the version not used; the secret version not a credential's
 * again   Account, channel and key version: the same key again is `already-added` under its own revision.
 */
import type { ChannelKeyFence, Instant } from '@connector/kernel/brand';
import type { Db } from '@connector/platform/db/db';
import { ctlChannelKey } from '@connector/schema/control/control';
import { controlDoors } from '../model/paths';
import { lockKeySet, openKeySet, raiseKeySet, READ_KEY, type ChannelName } from './channel-key-set';
import { claimSecret, type SecretVersion } from './secret-use';

export interface AddChannelKey extends ChannelName, SecretVersion {
  /** From 1; a version is used once for ever. */
  readonly keyVersion: number;
  readonly scheme: string;
  /** By the database's clock, after which it verifies nothing; null: until it is retired. */
  readonly endsAt: Instant | null;
}

/** `revision` is what the channel-key gate is moved to. */
export type AddedChannelKey =
  | { readonly kind: 'added' | 'already-added'; readonly revision: ChannelKeyFence }
  | { readonly kind: 'conflicting-key' }
  | { readonly kind: 'secret-is-credential' };

export function addChannelKey(db: Db, input: AddChannelKey): Promise<AddedChannelKey> {
  return db.fenced(controlDoors['add-channel-key'], async (tx) => {
    const revision = (await lockKeySet(tx, input)) ?? (await openKeySet(tx, input));
    const { account, channel, keyVersion, scheme, secretPath, secretVersion, endsAt } = input;
    const [standing] = await tx.read(READ_KEY, { account, channel, key_version: keyVersion });
    if (standing !== undefined) return compare(standing, input);
    if (!(await claimSecret(tx, input, 'channel-key'))) return { kind: 'secret-is-credential' };
    const next = await raiseKeySet(tx, input, revision);
    const secret = { secret_path: secretPath, secret_version: secretVersion };
    await tx.insert(ctlChannelKey, [
      { account, channel, key_version: keyVersion, scheme, ...secret, added_revision: next, ends_at: endsAt },
    ]);
    return { kind: 'added', revision: next };
  });
}

function compare(standing: ReturnType<typeof READ_KEY.decode>, input: AddChannelKey): AddedChannelKey {
  const sameSecret = standing.secret_path === input.secretPath && standing.secret_version === input.secretVersion;
  const same = sameSecret && standing.scheme === input.scheme && standing.ends_at === input.endsAt;
  return same ? { kind: 'already-added', revision: standing.added_revision } : { kind: 'conflicting-key' };
}
