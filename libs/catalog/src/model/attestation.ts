import type { Instant } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { documentKind } from '@connector/kernel/document';
import { closed, DIGEST, oneOf, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import type { AppRelease } from './release';
import { type KeyId, type KeyRefusal, type PublisherKey, refusalOfKey, signatureHolds } from './signing';

export const ATTESTATION_PROFILE = 'nexuscrm.rfc8785-sha256/v1';
export const ATTESTATION_MEDIA_TYPE = 'application/vnd.nexuscrm.app-manifest.v1+json';

const statementShape = closed({
  app_id: TEXT,
  app_release_digest: DIGEST,
  artifact_media_type: oneOf(ATTESTATION_MEDIA_TYPE),
  canonicalization_profile: oneOf(ATTESTATION_PROFILE),
  key_id: TEXT,
  publisher_id: TEXT,
  semantic_version: TEXT,
});
/** The six facts that an attestation binds, and the key that it names (cat:ATT-04, A-17). */
export type AttestationStatement = TypeOf<typeof statementShape>;

/** The separator is ours. The statement is detached: no digest of a release covers it (cat:ATT-06). */
export const attestation = documentKind<AttestationStatement>({
  name: 'release attestation',
  separator: 'nexuscrm.app-release-attestation.v1',
  shape: statementShape,
});

type Attested = Pick<AppRelease, 'appId' | 'publisherId' | 'semanticVersion' | 'releaseDigest'>;

/** The statement about a release, to be signed: `signedBytes(attestation.separator, bytes)`. */
export function attestationOf(release: Attested, keyId: KeyId): AttestationStatement {
  return {
    app_id: release.appId,
    app_release_digest: release.releaseDigest,
    artifact_media_type: ATTESTATION_MEDIA_TYPE,
    canonicalization_profile: ATTESTATION_PROFILE,
    key_id: keyId,
    publisher_id: release.publisherId,
    semantic_version: release.semanticVersion,
  };
}

export interface DetachedAttestation {
  /** Canonical bytes of an AttestationStatement. */
  readonly statement: Buffer;
  /** Ed25519, 64 bytes. */
  readonly signature: Buffer;
}

export type VerifyAttestation =
  | { readonly kind: 'attested'; readonly keyId: KeyId; readonly statementDigest: Digest }
  | { readonly kind: 'refused'; readonly code: 'ATTESTATION_SHAPE' | 'ATTESTATION_MISMATCH' | 'SIGNATURE_INVALID' | KeyRefusal };

/** The canonical statement, or why its bytes are none. */
export function readAttestation(statement: Uint8Array): AttestationStatement | undefined {
  try {
    return attestation.parse(statement).value;
  } catch (error) {
    if (error instanceof InputFault) return undefined;
    throw error;
  }
}

/**
 * Whether the publisher of this very release attested it, under a key that is accepted at `at`. `key` is the trust registry's row under the
 * key_id that the statement names. The manifest's own word about its publisher counts for nothing before this (cat:PUB-04).
 */
export function verifyAttestation(
  release: Attested,
  given: DetachedAttestation,
  key: PublisherKey | undefined,
  at: Instant,
): VerifyAttestation {
  const statement = readAttestation(given.statement);
  if (statement === undefined) return { kind: 'refused', code: 'ATTESTATION_SHAPE' };
  const refusal = refusalOfKey(key, release.publisherId, at);
  if (refusal !== undefined || key === undefined) return { kind: 'refused', code: refusal ?? 'KEY_UNKNOWN' };
  const wanted = attestation.build(attestationOf(release, key.keyId));
  if (!wanted.bytes.equals(given.statement)) return { kind: 'refused', code: 'ATTESTATION_MISMATCH' };
  if (!signatureHolds(key.publicKey, attestation.separator, given.statement, given.signature)) {
    return { kind: 'refused', code: 'SIGNATURE_INVALID' };
  }
  return { kind: 'attested', keyId: key.keyId, statementDigest: wanted.digest };
}
