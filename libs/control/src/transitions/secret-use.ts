import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { ctlSecretUse } from '@connector/schema/control/control';

/** A secret version as its backend names it; never the secret. */
export interface SecretVersion {
  readonly secretPath: string;
  readonly secretVersion: string;
}

const USE = readRows(ctlSecretUse, ['used_as'], 'WHERE secret_path = :secret_path AND secret_version = :secret_version');

/**
 * Whether this secret version may be used so. Its first use decides for ever: a unique key does, because two looks in two transactions
 * would each see nothing (decisions 13.10).
 */
export async function claimSecret(tx: FencedTx, secret: SecretVersion, usedAs: 'credential' | 'channel-key'): Promise<boolean> {
  const key = { secret_path: secret.secretPath, secret_version: secret.secretVersion };
  if ((await tx.insertNew(ctlSecretUse, { ...key, used_as: usedAs })) === 'inserted') return true;
  const [use] = await tx.read(USE, key);
  invariant(use !== undefined, 'HOUSE:control:RowVanished', 'a secret use was there and is not');
  return use.used_as === usedAs;
}
