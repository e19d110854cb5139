import type { Instant } from '@connector/kernel/brand';
import { documentDigest } from '@connector/kernel/document';
import { InputFault } from '@connector/kernel/faults';
import { jcs, type Json } from '@connector/kernel/jcs';
import { exampleRelease, seal, signer } from '@connector/testing/fixtures/app-release';
import { appVectors } from '@connector/testing/vectors/load';
import { attestation, attestationOf, type VerifyAttestation, verifyAttestation } from './attestation';
import { PublisherId } from './identifier';
import { checkRelease } from './release';
import { KeyId, type PublisherKey, signedBytes } from './signing';

const answer = checkRelease(seal(exampleRelease()));
if (answer.kind === 'faulty') throw new Error('the example is a release');
const { release } = answer;
const NOW = '2026-06-01T00:00:00.000000Z' as Instant;
const instant = (text: string) => text as Instant;
const ours = signer('io.nexuscrm');
const document = attestation.build(attestationOf(release, ours.key.keyId));
const given = { statement: document.bytes, signature: ours.sign(attestation.separator, document.bytes) };
const verdict = (verified: VerifyAttestation): string => (verified.kind === 'attested' ? verified.kind : verified.code);
const judged = (key: PublisherKey | undefined, at = NOW, one = given): string => verdict(verifyAttestation(release, one, key, at));

/** The statement with one change, signed again by the same key. */
function resigned(change: Readonly<Record<string, Json>>, without?: string): string {
  const statement = Object.fromEntries(
    Object.entries({ ...attestationOf(release, ours.key.keyId), ...change }).filter(([name]) => name !== without),
  );
  const bytes = jcs(statement);
  return judged(ours.key, NOW, { statement: bytes, signature: ours.sign(attestation.separator, bytes) });
}

describe('release attestation', () => {
  it('attested: the six facts and the key, signed behind our separator (cat:ATT-04, cat:A-17)', () => {
    expect(judged(ours.key)).toBe('attested');
    expect(Object.keys(attestationOf(release, ours.key.keyId)).sort()).toEqual([
      'app_id',
      'app_release_digest',
      'artifact_media_type',
      'canonicalization_profile',
      'key_id',
      'publisher_id',
      'semantic_version',
    ]);
    expect(signedBytes(attestation.separator, document.bytes).subarray(0, 38).toString('latin1')).toBe(
      'nexuscrm.app-release-attestation.v1\0{"',
    );
    expect(document.digest).toBe(documentDigest('nexuscrm.app-release-attestation.v1', document.bytes));
  });

  it.each(Object.keys(attestationOf(release, ours.key.keyId)))(
    'refused: %s left out or altered, though it is signed (cat:ATT-04)',
    (name) => {
      expect(resigned({}, name)).toBe('ATTESTATION_SHAPE');
      expect(resigned({ [name]: null })).toBe('ATTESTATION_SHAPE');
      const digest = `sha256:${'0'.repeat(64)}`;
      expect(['ATTESTATION_SHAPE', 'ATTESTATION_MISMATCH']).toContain(
        resigned({ [name]: name === 'app_release_digest' ? digest : 'io.other.app' }),
      );
    },
  );

  it('refused: a member more, and bytes that are not canonical (cat:ATT-01)', () => {
    expect(resigned({ repository: 'https://example.test' })).toBe('ATTESTATION_SHAPE');
    const statement = Buffer.concat([document.bytes, Buffer.from('\n')]);
    expect(judged(ours.key, NOW, { statement, signature: ours.sign(attestation.separator, statement) })).toBe('ATTESTATION_SHAPE');
  });

  it.each<[string, (key: PublisherKey) => PublisherKey, string]>([
    ['before its window', (key) => ({ ...key, validFrom: instant('2026-06-01T00:00:00.000001Z') }), 'KEY_NOT_YET_VALID'],
    ['at the first instant of its window', (key) => ({ ...key, validFrom: NOW }), 'attested'],
    ['at the end of its window', (key) => ({ ...key, validUntil: NOW }), 'KEY_EXPIRED'],
    ['one microsecond before the end', (key) => ({ ...key, validUntil: instant('2026-06-01T00:00:00.000001Z') }), 'attested'],
    ['after it was revoked', (key) => ({ ...key, revokedAt: instant('2026-05-01T00:00:00.000000Z') }), 'KEY_REVOKED'],
    ['revoked later than it signed', (key) => ({ ...key, revokedAt: instant('2026-07-01T00:00:00.000000Z') }), 'KEY_REVOKED'],
    ['of another publisher', (key) => ({ ...key, publisherId: PublisherId.parse('io.other') }), 'KEY_FOREIGN'],
  ])('a key %s: %s (cat:PUB-03, cat:A-18)', (_name, change, expected) => {
    expect(judged(change(ours.key))).toBe(expected);
  });

  it('refused: no key under the name that the statement gives (cat:PUB-03)', () => {
    expect(judged(undefined)).toBe('KEY_UNKNOWN');
  });

  it('refused: a signature by another key, of another length, with one bit changed, or without the separator (cat:PUB-03, cat:A-17)', () => {
    const theirs = signer('io.nexuscrm');
    const [flipped, pair] = [Buffer.from(given.signature), signer('io.nexuscrm')];
    flipped[10] = (flipped[10] ?? 0) ^ 1;
    const bad = [
      theirs.sign(attestation.separator, document.bytes),
      given.signature.subarray(1),
      Buffer.alloc(64),
      Buffer.alloc(0),
      flipped,
      ours.sign('nexuscrm.app-transfer.v1', document.bytes),
    ];
    for (const signature of bad) expect(judged(ours.key, NOW, { ...given, signature })).toBe('SIGNATURE_INVALID');
    expect(judged({ ...ours.key, publicKey: pair.key.publicKey })).toBe('SIGNATURE_INVALID');
    expect(judged(theirs.key)).toBe('ATTESTATION_MISMATCH');
  });

  it('attested: under a new key the publisher stays the same and no digest moves (cat:PUB-02, cat:ATT-06, cat:ATT-03)', () => {
    const rotated = signer('io.nexuscrm');
    const again = attestation.build(attestationOf(release, rotated.key.keyId));
    const signature = rotated.sign(attestation.separator, again.bytes);
    expect(judged(rotated.key, NOW, { statement: again.bytes, signature })).toBe('attested');
    expect(rotated.key.publisherId).toBe(ours.key.publisherId);
    expect(release.releaseDigest).toBe(appVectors.release_1_0_0.app_release_digest.digest);
  });

  it('the name of a key is the hash of its bytes, and nothing else is one', () => {
    expect(KeyId.parse(ours.key.keyId)).toBe(KeyId.of(ours.key.publicKey));
    for (const text of [ours.key.keyId.toUpperCase(), `${ours.key.keyId}0`, 'io.nexuscrm'])
      expect(() => KeyId.parse(text)).toThrow(InputFault);
    expect(() => KeyId.of(Buffer.alloc(31))).toThrow(InputFault);
  });
});
