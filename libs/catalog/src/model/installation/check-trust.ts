import type { Instant } from '@connector/kernel/brand';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { type DetachedAttestation, verifyAttestation } from '../attestation';
import type { AppRelease } from '../release';
import type { PublisherKey } from '../signing';
import { failed } from './asked';

/** What the trust registry says of a registered release. */
export interface ReleaseTrust {
  readonly attestation: DetachedAttestation;
  /** The key under which it was registered, as it stands now. */
  readonly key: PublisherKey | undefined;
  readonly registeredAt: Instant;
  readonly ownershipEpoch: bigint;
  /** Who owned the App in that epoch. */
  readonly ownerThen: string | undefined;
  readonly blocked: boolean;
}

/**
 * cat:PREP-01. Trust is judged as of the registration, by the attestation and the epoch that stand with the release (cat:A-18, cat:A-44): a later
 * expiry or transfer changes nothing. A key that was revoked since, and a release that the operator blocked (cat:A-39), take no new candidate.
 */
export function trustFaults(
  release: Pick<AppRelease, 'appId' | 'publisherId' | 'semanticVersion' | 'releaseDigest'>,
  trust: ReleaseTrust,
): readonly DocumentFault[] {
  const at = '/app_release_digest';
  const { attestation, key, registeredAt, ownerThen, ownershipEpoch, blocked } = trust;
  const verified = verifyAttestation(release, attestation, key, registeredAt);
  const owner = `${release.publisherId} as owner of ${release.appId} in epoch ${ownershipEpoch}`;
  return [
    ...(verified.kind === 'attested' ? [] : [failed('PREP-01', at, verified.code, 'a release that its publisher attested', 'refused')]),
    ...(ownerThen === release.publisherId ? [] : [failed('PREP-01', at, 'OWNERSHIP_EPOCH_STALE', owner, ownerThen ?? 'nobody')]),
    ...(blocked ? [failed('PREP-01', at, 'RELEASE_BLOCKED', 'a release that the operator has not blocked', 'blocked')] : []),
  ];
}
