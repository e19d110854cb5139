import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catPublisherPrefix } from '@connector/schema/catalog/registry';
import { clockAt, readKey } from '../../fences/publisher';
import { type DetachedAttestation, readAttestation, verifyAttestation, type VerifyAttestation } from '../../model/attestation';
import type { AppId, PublisherId } from '../../model/identifier';
import type { AppRelease } from '../../model/release';

const PREFIXES = readRows(
  catPublisherPrefix,
  ['app_prefix'],
  'WHERE publisher_id = :publisher_id ORDER BY app_prefix LIMIT 100',
  'granted',
);

/** Whether the publisher of this release attested it, now by the database's clock; under the lock of the publisher (cat:A-18). */
export async function judgeAttestation(tx: FencedTx, release: AppRelease, given: DetachedAttestation): Promise<VerifyAttestation> {
  const at = await clockAt(tx, release.publisherId);
  const named = readAttestation(given.statement)?.key_id;
  const key = named === undefined ? undefined : await readKey(tx, named);
  return verifyAttestation(release, given, key, at);
}

/** Whether the operator lets this publisher reserve this AppID; asked once in the life of an App (cat:A-23). */
export async function mayReserve(tx: FencedTx, publisherId: PublisherId, appId: AppId): Promise<boolean> {
  const granted = await tx.read(PREFIXES, { publisher_id: publisherId });
  return granted.some(({ app_prefix: prefix }) => appId === prefix || appId.startsWith(`${prefix}.`));
}
