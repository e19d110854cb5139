import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { readActiveChannelKeys } from '@connector/control/reads/channel-keys';
import type { Db } from '@connector/platform/db/db';
import { monotonicMs } from '@connector/platform/host/clock';
import { withSecret, type SecretBackend } from '@connector/platform/secrets/secret-backend';
import { parseSecret } from './verify/parse-secret';
import type { VerificationScheme } from '@connector/packs/model/verification-schemes';
import type { ChannelKeyMaterial } from './verify/verify-delivery';

/** The keys that verify now, with the revision that admission holds against the channel-key gate. */
export interface ChannelKeys {
  readonly fence: ChannelKeyFence;
  readonly keys: readonly ChannelKeyMaterial[];
}

interface Held {
  readonly keys: ChannelKeys;
  readonly readAt: number;
}

/** A key may end by the database's clock; what was read longer ago than this is read again. */
const FRESH_MS = 1_000;

/**
 * The verification keys of channels, kept for a moment: the fence that goes with them is checked under the lock, so a kept set can
 * never admit under keys that were retired. A key of another scheme, or one whose text is malformed, verifies nothing.
 */
export class ChannelKeyRing {
  readonly #db: Db;
  readonly #secrets: SecretBackend;
  readonly #held = new Map<string, Held>();

  constructor(db: Db, secrets: SecretBackend) {
    this.#db = db;
    this.#secrets = secrets;
  }

  async of(account: AccountName, channel: string, scheme: VerificationScheme): Promise<ChannelKeys | undefined> {
    const place = `${account}/${channel}`;
    const held = this.#held.get(place);
    if (held !== undefined && monotonicMs() - held.readAt < FRESH_MS) return held.keys;
    const read = await this.#read(account, channel, scheme);
    if (read !== undefined) this.#held.set(place, { keys: read, readAt: monotonicMs() });
    return read;
  }

  /** The gate said that the set moved. */
  forget(account: AccountName, channel: string): void {
    this.#held.delete(`${account}/${channel}`);
  }

  async #read(account: AccountName, channel: string, scheme: VerificationScheme): Promise<ChannelKeys | undefined> {
    const active = await readActiveChannelKeys(this.#db, account, channel);
    if (active === undefined) return undefined;
    const keys: ChannelKeyMaterial[] = [];
    for (const key of active.keys) {
      if (key.scheme !== scheme) continue;
      const ref = { path: key.secretPath, version: key.secretVersion };
      const parsed = await withSecret(this.#secrets, ref, (bytes) => parseSecret(scheme, bytes.toString('utf8').trimEnd()));
      if (parsed.kind === 'secret') keys.push({ version: key.keyVersion, secret: parsed.secret });
    }
    return { fence: active.revision, keys };
  }
}
