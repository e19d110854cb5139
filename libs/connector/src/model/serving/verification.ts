import { isDeepStrictEqual } from 'node:util';
import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { DIGEST_PROFILE } from '@connector/kernel/digest-profile';
import { jcs } from '@connector/kernel/jcs';
import type { EpochId } from '@connector/kernel/ids';
import { servingEpochDigest } from '../digests/serving-epoch';
import type { ServingEpochParts } from '../digests/serving-epoch.parts';
import { assembleEpoch } from './assemble-epoch';
import type { AskedOwners, OwnerName } from './owner-answers';

/** A candidate as it is stored. */
export interface StoredEpoch {
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly digestProfile: string;
  readonly parts: ServingEpochParts;
}

/**
 * What the owners' fresh answers make of a candidate, before any transaction. An unavailable owner decides nothing (con:EPOCH-03);
 * absence and mismatch must reject (con:EPOCH-02).
 */
export type EpochVerdict =
  | { readonly kind: 'verified'; readonly accounts: readonly AccountName[] }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly owner: OwnerName };

const rejected = (reason: string): EpochVerdict => ({ kind: 'rejected', reason });

/** The whole epoch is made again from the answers and compared byte for byte; nothing that a caller says enters (con:VERI-X). */
export function compareEpoch(stored: StoredEpoch, asked: AskedOwners): EpochVerdict {
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'rejected') return rejected(`${asked.owner}: ${asked.code}`);
  // A digest is compared under its own profile or not at all (con:DIG-13).
  if (stored.digestProfile !== DIGEST_PROFILE) return rejected('unsupported-profile');
  const own = servingEpochDigest(stored.parts);
  if (own.kind === 'refused') return rejected(`candidate: ${own.reason}`);
  if (own.digest !== stored.epochDigest) return rejected('candidate: digest-differs');
  const fresh = assembleEpoch(stored.epochId, asked.answers);
  if (fresh.kind === 'mismatch') return rejected(`${fresh.owner}: ${fresh.code}`);
  if (!fresh.digested.preimage.equals(own.preimage)) return rejected(`differs: ${differing(stored.parts, fresh.parts)}`);
  return { kind: 'verified', accounts: fresh.accounts };
}

const PARTS = ['servingScope', 'catalog', 'configuration', 'bindings', 'proofs', 'credentials'] as const;

/** For people: which part of the two is not the same. */
function differing(stored: ServingEpochParts, fresh: ServingEpochParts): string {
  return PARTS.find((part) => !isDeepStrictEqual(stored[part], fresh[part])) ?? 'epochId';
}

/** What was found, as canonical bytes: the receipts themselves are in the candidate, equal or not. */
export function verificationEvidence(stored: StoredEpoch, verdict: EpochVerdict): Buffer {
  return jcs({
    schema_version: 'nexuscrm.connector-epoch-verification/v1',
    epoch_id: stored.epochId,
    epoch_digest: stored.epochDigest,
    view_digest: stored.parts.catalog.viewDigest,
    catalog_revision: stored.parts.catalog.lineage.catalogRevision.toString(),
    configuration_digest: stored.parts.configuration.generationDigest,
    bindings: stored.parts.bindings.length,
    credentials: stored.parts.credentials.length,
    verdict: verdict.kind,
    ...(verdict.kind === 'rejected' ? { reason: verdict.reason } : {}),
  });
}
