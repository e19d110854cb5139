import type { Instant } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import {
  catAppRelease,
  catKeyRevocation,
  catMetadataBundle,
  catPublisherKey,
  catReleaseBlock,
  catSlotReleaseVersion,
} from '@connector/schema/catalog/registry';
import { AppId, PublisherId } from '../model/identifier';
import { KeyId, type PublisherKey } from '../model/signing';

/** A registered release as it was judged once: under which publisher, epoch and attestation (cat:A-44, cat:PUB-11). */
export interface StoredRelease {
  readonly appId: AppId;
  readonly releaseDigest: Digest;
  readonly semanticVersion: string;
  readonly bundleDigest: Digest;
  readonly manifestBytes: Buffer;
  readonly publisherId: PublisherId;
  readonly ownershipEpoch: bigint;
  readonly keyId: KeyId;
  readonly attestationBytes: Buffer;
  readonly signatureBytes: Buffer;
  readonly registeredAt: Instant;
}

const COLUMNS = [
  'app_id',
  'release_digest',
  'semantic_version',
  'bundle_digest',
  'manifest',
  'publisher_id',
  'ownership_epoch',
  'key_id',
  'attestation',
  'signature',
  'registered_at',
] as const;
const BY_DIGEST = readRows(catAppRelease, COLUMNS, 'WHERE app_id = :app_id AND release_digest = :release_digest');
const BY_VERSION = readRows(
  catAppRelease,
  ['release_digest'],
  'WHERE app_id = :app_id AND semantic_version = :semantic_version',
  'by-version',
);
const SLOTS = readRows(
  catSlotReleaseVersion,
  ['local_component_key', 'definition_version'],
  'WHERE app_id = :app_id AND release_digest = :release_digest ORDER BY local_component_key LIMIT 10000',
);
const BUNDLE = readRows(catMetadataBundle, ['bytes'], 'WHERE bundle_digest = :bundle_digest');
const KEY = readRows(catPublisherKey, ['publisher_id', 'public_key', 'valid_from', 'valid_until'], 'WHERE key_id = :key_id');
const REVOKED = readRows(catKeyRevocation, ['revoked_at'], 'WHERE key_id = :key_id');
const BLOCKED = readRows(catReleaseBlock, ['reason', 'blocked_at'], 'WHERE app_id = :app_id AND release_digest = :release_digest');

/** One release by its whole identity; undefined where none was registered. */
export async function readRelease(db: Db, appId: AppId, releaseDigest: Digest): Promise<StoredRelease | undefined> {
  const row = await db.readOne(BY_DIGEST, { app_id: appId, release_digest: releaseDigest });
  return (
    row && {
      appId: AppId.parse(row.app_id),
      releaseDigest: row.release_digest,
      semanticVersion: row.semantic_version,
      bundleDigest: row.bundle_digest,
      manifestBytes: row.manifest,
      publisherId: PublisherId.parse(row.publisher_id),
      ownershipEpoch: row.ownership_epoch,
      keyId: KeyId.parse(row.key_id),
      attestationBytes: row.attestation,
      signatureBytes: row.signature,
      registeredAt: row.registered_at,
    }
  );
}

/** A version is a label: what it goes to is a digest (cat:MAN-04). */
export async function readVersion(db: Db, appId: AppId, semanticVersion: string): Promise<Digest | undefined> {
  return (await db.readOne(BY_VERSION, { app_id: appId, semantic_version: semanticVersion }))?.release_digest;
}

/** Which version of each layout slot a release carries, in bytewise order of the keys (cat:SLOT-25). */
export async function readSlotVersions(
  db: Db,
  { appId, releaseDigest }: Pick<StoredRelease, 'appId' | 'releaseDigest'>,
): Promise<readonly { readonly localComponentKey: string; readonly definitionVersion: number }[]> {
  const rows = await db.read(SLOTS, { app_id: appId, release_digest: releaseDigest });
  return rows.map((row) => ({ localComponentKey: row.local_component_key, definitionVersion: row.definition_version }));
}

/** The bytes of a bundle; whether they are of the digest is for whoever walks the release to see (cat:DIG-12). */
export async function readBundle(db: Db, bundleDigest: Digest): Promise<Buffer | undefined> {
  return (await db.readOne(BUNDLE, { bundle_digest: bundleDigest }))?.bytes;
}

/** What the operator's registry says now of a release: the key that attested it, and whether somebody blocked it (cat:PREP-01, cat:A-39). */
export interface ReleaseTrust {
  /** undefined: no key of this name, which a registered release never has. */
  readonly key: PublisherKey | undefined;
  readonly blocked: { readonly reason: string; readonly blockedAt: Instant } | undefined;
}

export async function readTrust(db: Db, release: Pick<StoredRelease, 'appId' | 'releaseDigest' | 'keyId'>): Promise<ReleaseTrust> {
  const [key, blocked] = await Promise.all([
    readPublisherKey(db, release.keyId),
    db.readOne(BLOCKED, { app_id: release.appId, release_digest: release.releaseDigest }),
  ]);
  return { key, blocked: blocked && { reason: blocked.reason, blockedAt: blocked.blocked_at } };
}

async function readPublisherKey(db: Db, keyId: KeyId): Promise<PublisherKey | undefined> {
  const row = await db.readOne(KEY, { key_id: keyId });
  if (row === undefined) return undefined;
  const revoked = await db.readOne(REVOKED, { key_id: keyId });
  const window = { validFrom: row.valid_from, validUntil: row.valid_until, revokedAt: revoked?.revoked_at ?? null };
  return { keyId, publisherId: PublisherId.parse(row.publisher_id), publicKey: row.public_key, ...window };
}
