/**
 * register-release: a signed release of an App, once and for ever
 *
 * why     (AppID, version) and the release digest name one another for ever; reservation, owners and ledger come with the release or not at all
 *         (cat:REG-01, cat:REG-02, cat:REG-06).
 * paths   register-release
 * locks   publisher, the App and every App that its dependencies reach, slot heads
 * fence   Trust under the publisher's lock, ownership and versions under the App's (cat:PUB-14), successors by a CAS over both facts of a slot's
 *         head (cat:SLOT-33). Everything is judged before the first row is written; what was taken meanwhile undoes the whole and is judged again.
 * again   The request key; the release digest: the same release again is the one that stands, whoever sends it.
 * limits  The one door above those of decisions 3.6: a bundle of 5 MiB and the owners of 10,000 components, 500 a statement (decisions 12.10).
 */
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import {
  catApp,
  catAppOwnership,
  catAppRelease,
  catMetadataBundle,
  catOwnershipEvent,
  catReleaseDependency,
} from '@connector/schema/catalog/registry';
import { audit } from '../../fences/audit';
import { lockPublishers } from '../../fences/publisher';
import { keepRequest, recallRequest } from '../../fences/request';
import type { DetachedAttestation, VerifyAttestation } from '../../model/attestation';
import type { AppId, PublisherId } from '../../model/identifier';
import type { AppOwner } from '../../model/ownership-statements';
import { catalogDoors } from '../../model/paths';
import type { AppRelease } from '../../model/release';
import type { RequestKey } from '../../model/request';
import type { KeyId } from '../../model/signing';
import { findCycle, holdGround } from './dependency-graph';
import { judgeOwners, type OwnerRefusal, takeOwnership, type Unowned } from './owners';
import { type PlacedSlot, placeSlots, type RefusedSlot, writeSlots } from './slots';
import { judgeAttestation, mayReserve } from './trust';

export interface RegisterRelease {
  /** As `checkRelease` admitted it. */
  readonly release: AppRelease;
  readonly attestation: DetachedAttestation;
}

/** Where a release stands, and under whom it was registered. */
export interface ReleasePlace {
  readonly appId: AppId;
  readonly semanticVersion: string;
  readonly releaseDigest: Digest;
  readonly bundleDigest: Digest;
  readonly publisherId: string;
  readonly ownershipEpoch: bigint;
}
type TrustRefusal = Extract<VerifyAttestation, { readonly kind: 'refused' }>['code'] | 'PUBLISHER_UNKNOWN' | 'APP_ID_OUTSIDE_PREFIX';
export type ReleaseRefusal =
  | { readonly code: TrustRefusal; readonly appId: AppId; readonly publisherId: PublisherId }
  | { readonly code: 'APP_ID_RESERVED'; readonly appId: AppId; readonly publisherId: PublisherId; readonly ownerPublisherId: PublisherId }
  /** The Apps on the way back. */
  | { readonly code: 'DEPENDENCY_CYCLE'; readonly appId: AppId; readonly way: readonly AppId[] }
  | OwnerRefusal
  | RefusedSlot;
export type RegisteredRelease =
  | ({ readonly kind: 'registered' | 'already-registered' } & ReleasePlace)
  | { readonly kind: 'conflicting-release'; readonly code: 'SEMVER_TAKEN'; readonly storedDigest: Digest; readonly givenDigest: Digest }
  | ({ readonly kind: 'refused' } & ReleaseRefusal);

const FIRST_EPOCH = 1n;
const STANDING = readRows(
  catAppRelease,
  ['release_digest', 'bundle_digest', 'publisher_id', 'ownership_epoch'],
  'WHERE app_id = :app_id AND semantic_version = :semantic_version',
);

export function registerRelease(db: Db, input: RegisterRelease, request: RequestKey): Promise<RegisteredRelease> {
  const { publisherId } = input.release;
  return db.fenced(catalogDoors['register-release'], async (tx) => {
    const known = await lockPublishers(tx, [publisherId]);
    const before = await recallRequest<RegisteredRelease>(tx, request);
    if (before !== undefined) return before;
    if (!known.has(publisherId)) return refused({ code: 'PUBLISHER_UNKNOWN', appId: input.release.appId, publisherId });
    const judged = await judgeAndReserve(tx, input);
    return judged.kind === 'admitted' ? write(tx, input, judged, request) : judged;
  });
}

const refused = (refusal: ReleaseRefusal): RegisteredRelease => ({ kind: 'refused', ...refusal });

/** Everything held, nothing against it. */
interface Admitted {
  readonly kind: 'admitted';
  /** undefined: this release reserves the App. */
  readonly owner: AppOwner | undefined;
  readonly keyId: KeyId;
  readonly unowned: Unowned;
  readonly slots: readonly PlacedSlot[];
}

/**
 * A first release reserves its AppID by its first row. Where another registration was faster it has committed by now, and nothing was written
 * here: the release is judged again, under the row that the other one made (cat:ID-13).
 */
async function judgeAndReserve(tx: FencedTx, input: RegisterRelease): Promise<Admitted | RegisteredRelease> {
  const judged = await judge(tx, input);
  if (judged.kind !== 'admitted' || judged.owner !== undefined) return judged;
  const { appId, publisherId } = input.release;
  if ((await tx.insertNew(catApp, { app_id: appId, first_publisher_id: publisherId })) === 'inserted') return judged;
  const again = await judge(tx, input);
  invariant(again.kind !== 'admitted' || again.owner !== undefined, 'HOUSE:catalog:AppUnowned', `${appId} is reserved and has no owner`);
  return again;
}

async function judge(tx: FencedTx, { release, attestation }: RegisterRelease): Promise<Admitted | RegisteredRelease> {
  const ground = await holdGround(tx, release);
  const { appId, publisherId } = release;
  const standing = await standingOf(tx, release);
  if (standing?.releaseDigest === release.releaseDigest) return { kind: 'already-registered', ...standing };
  const attested = await judgeAttestation(tx, release, attestation);
  if (attested.kind === 'refused') return refused({ code: attested.code, appId, publisherId });
  const unfit = await judgeOwner(tx, release, ground.owner);
  if (unfit !== undefined) return refused(unfit);
  if (standing !== undefined)
    return { kind: 'conflicting-release', code: 'SEMVER_TAKEN', storedDigest: standing.releaseDigest, givenDigest: release.releaseDigest };
  const way = await findCycle(tx, release, ground);
  if (way !== undefined) return refused({ code: 'DEPENDENCY_CYCLE', appId, way });
  const unowned = await judgeOwners(tx, release);
  if ('code' in unowned) return refused(unowned);
  const slots = await placeSlots(tx, release, ground.owner !== undefined);
  if ('code' in slots) return refused(slots);
  return { kind: 'admitted', owner: ground.owner, keyId: attested.keyId, unowned, slots };
}

async function standingOf(tx: FencedTx, { appId, semanticVersion }: AppRelease): Promise<ReleasePlace | undefined> {
  const [row] = await tx.read(STANDING, { app_id: appId, semantic_version: semanticVersion });
  return (
    row && {
      appId,
      semanticVersion,
      releaseDigest: row.release_digest,
      bundleDigest: row.bundle_digest,
      publisherId: row.publisher_id,
      ownershipEpoch: row.ownership_epoch,
    }
  );
}

/** cat:PUB-10, cat:A-23: the present owner, or a publisher that may reserve. */
async function judgeOwner(
  tx: FencedTx,
  { appId, publisherId }: AppRelease,
  owner: AppOwner | undefined,
): Promise<ReleaseRefusal | undefined> {
  if (owner === undefined)
    return (await mayReserve(tx, publisherId, appId)) ? undefined : { code: 'APP_ID_OUTSIDE_PREFIX', appId, publisherId };
  if (owner.publisherId === publisherId) return undefined;
  return { code: 'APP_ID_RESERVED', appId, publisherId, ownerPublisherId: owner.publisherId };
}

async function write(tx: FencedTx, input: RegisterRelease, admitted: Admitted, request: RequestKey): Promise<RegisteredRelease> {
  const { release } = input;
  const { appId, publisherId, semanticVersion, releaseDigest, bundleDigest } = release;
  const ownershipEpoch = admitted.owner?.ownershipEpoch ?? FIRST_EPOCH;
  if (admitted.owner === undefined) await beginOwnership(tx, release, request);
  await storeRelease(tx, input, admitted.keyId, ownershipEpoch);
  await takeOwnership(tx, appId, admitted.unowned);
  await writeSlots(tx, release, admitted.slots);
  const details = {
    version: semanticVersion,
    release_digest: releaseDigest,
    publisher_id: publisherId,
    ownership_epoch: `${ownershipEpoch}`,
  };
  await audit(tx, { caller: request.caller, subject: appId, details });
  const place = { appId, semanticVersion, releaseDigest, bundleDigest, publisherId, ownershipEpoch };
  return keepRequest(tx, request, { kind: 'registered', ...place });
}

/** cat:ID-10: the reservation itself was the first row. */
async function beginOwnership(tx: FencedTx, { appId, publisherId }: AppRelease, { caller }: RequestKey): Promise<void> {
  await tx.insert(catAppOwnership, [{ app_id: appId, publisher_id: publisherId, ownership_epoch: FIRST_EPOCH }]);
  const parties = { old_publisher_id: null, new_publisher_id: publisherId, statement: null, signature: null, accepted_by: caller };
  await tx.insert(catOwnershipEvent, [{ app_id: appId, ownership_epoch: FIRST_EPOCH, kind: 'reserved', ...parties }]);
}

async function storeRelease(tx: FencedTx, { release, attestation }: RegisterRelease, keyId: KeyId, ownershipEpoch: bigint): Promise<void> {
  const key = { app_id: release.appId, release_digest: release.releaseDigest };
  // Two releases may have one bundle, and then the same bytes.
  await tx.insertNew(catMetadataBundle, { bundle_digest: release.bundleDigest, bytes: release.bundleBytes });
  await tx.insert(catAppRelease, [
    {
      ...key,
      semantic_version: release.semanticVersion,
      bundle_digest: release.bundleDigest,
      manifest: release.manifestBytes,
      publisher_id: release.publisherId,
      ownership_epoch: ownershipEpoch,
      key_id: keyId,
      attestation: attestation.statement,
      signature: attestation.signature,
    },
  ]);
  const dependencies = new Set(release.manifest.dependencies.map((dependency) => dependency.app_id));
  await tx.insert(
    catReleaseDependency,
    [...dependencies].map((app) => ({ ...key, dependency_app_id: app })),
  );
}
