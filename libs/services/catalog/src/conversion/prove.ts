import { candidateOf } from '@connector/catalog/model/installation/candidate-of';
import { type AskedInstallation, failed } from '@connector/catalog/model/installation/asked';
import type { Gathered, RegisteredRelease } from '@connector/catalog/model/installation/gathered';
import { storedBundle } from '@connector/catalog/model/stored-manifest';
import { componentFaults, rowFaults } from '@connector/catalog/model/conversion/check-components';
import { factFaults, ownerFaults } from '@connector/catalog/model/conversion/check-facts';
import { checkSource, type LegacySource } from '@connector/catalog/model/conversion/check-source';
import type { ConversionKey, ConvertedEntry } from '@connector/catalog/model/conversion/journal';
import { type LegacyMapping, type SignedStatement, verifyMapping } from '@connector/catalog/model/conversion/mapping';
import type { LegacyWorld } from '@connector/catalog/contract/legacy-packs';
import { readReleaseBytes } from '@connector/catalog/reads/release-bytes';
import type { Instant } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { invariant } from '@connector/kernel/faults';
import { answered, gather, type PreparationParts } from '../installations/gather';
import { judgePreparation } from '../installations/plan';
import { checksumFaults, checksumsOf, type ProjectionChecksums, UNMINTED } from './checksums';

/** Everything that an operator says of a conversion (cat:CONV-07); the App is not his to choose. */
export interface ConvertPack extends ConversionKey {
  readonly asked: AskedInstallation;
  readonly mapping: SignedStatement;
  /** Of the provenance that stands beside the release (cat:CONV-06). */
  readonly provenanceDigest: Digest;
  /** As a generator beside Catalog computed them (cat:CONV-17). */
  readonly expected: ProjectionChecksums;
}

export type Proof =
  | { readonly kind: 'proven'; readonly entry: ConvertedEntry; readonly release: RegisteredRelease; readonly gathered: Gathered }
  | { readonly kind: 'faulty'; readonly faults: readonly DocumentFault[] };

/** The checksums hold no time. */
const ANY_TIME = '2000-01-01T00:00:00.000000Z' as Instant;

/** All seven proofs and what goes before them, over what is there now. Nothing is written. RetryableFault where an owner does not answer. */
export async function prove(parts: PreparationParts, legacy: LegacyWorld, input: ConvertPack): Promise<Proof> {
  const verified = verifyMapping(input.mapping, legacy.trustAuthority);
  if (verified.kind === 'refused') return { kind: 'faulty', faults: verified.faults };
  const read = answered('legacy', await legacy.packs.read(input));
  if (read.kind === 'absent') return faulty(failed('CONV-04', '/pack_install_id', 'LEGACY_ABSENT', input.packInstallId, 'none'));
  const checked = checkSource(read.record, input, verified.mapping);
  const facts = await gather(parts, input.organization, input.asked);
  const legacyFaults = checked.kind === 'faulty' ? checked.faults : [];
  if (facts.kind === 'release-absent')
    return faulty(...legacyFaults, failed('CONV-06', '/app_release_digest', 'RELEASE_ABSENT', input.appReleaseDigest, 'none'));
  const { release, gathered } = facts;
  const judged = await judgePreparation(parts, input.organization, input.asked, facts);
  const faults = [...legacyFaults, ...preparationFaults(judged)];
  if (checked.kind === 'faulty') return faulty(...faults);
  const { source } = checked;
  faults.push(...(await equivalenceFaults(parts, input, source, verified.mapping, gathered)));
  if (faults.length > 0) return faulty(...faults);
  const unexpected = projectionFaults(input, gathered);
  return unexpected.length > 0 ? faulty(...unexpected) : { kind: 'proven', entry: entryOf(input, source, verified), release, gathered };
}

const faulty = (...faults: readonly DocumentFault[]): Proof => ({ kind: 'faulty', faults });

/** Proofs 5 and 6: what any installation is asked, here with nothing of its kind in the way (cat:CONV-15, cat:CONV-16). */
function preparationFaults(judged: Awaited<ReturnType<typeof judgePreparation>>): readonly DocumentFault[] {
  const collision = (code: string, found: string): readonly DocumentFault[] => [
    failed('CONV-16', '/app_release_digest', code, 'no other installation in the way', found),
  ];
  if (judged.kind === 'live-installation-exists') return collision('INSTALLATION_EXISTS', judged.installation);
  if (judged.kind === 'publication-open') return collision('PUBLICATION_OPEN', judged.installation);
  return judged.kind === 'faulty' ? judged.faults : [];
}

/** Proofs 2, 3 and 4. A release that could not be verified was told already. */
async function equivalenceFaults(
  { db }: PreparationParts,
  { asked }: ConvertPack,
  source: LegacySource,
  mapping: LegacyMapping,
  { manifest }: Gathered,
): Promise<readonly DocumentFault[]> {
  if (manifest === undefined) return rowFaults(source);
  const stored = await readReleaseBytes(db, asked.appId, asked.appReleaseDigest);
  invariant(stored !== undefined, 'HOUSE:catalog:RowVanished', 'a registered release is not there');
  return [
    ...componentFaults(source, mapping, storedBundle(stored.bundle)),
    ...rowFaults(source),
    ...factFaults(source, mapping, manifest),
    ...ownerFaults(mapping, manifest),
  ];
}

function projectionFaults({ organization, asked, expected }: ConvertPack, gathered: Gathered): readonly DocumentFault[] {
  const { manifest } = gathered;
  invariant(manifest !== undefined, 'HOUSE:catalog:Unverified', 'no fault, and nothing verified');
  const candidate = candidateOf(ANY_TIME, { organization, installation: UNMINTED, attempt: 1n, asked, gathered });
  return checksumFaults(checksumsOf(candidate, manifest), expected);
}

function entryOf(
  { provenanceDigest, expected }: ConvertPack,
  { pack }: LegacySource,
  { mapping, mappingDigest }: { readonly mapping: LegacyMapping; readonly mappingDigest: Digest },
): ConvertedEntry {
  return {
    source: { kind: pack.sourceKind, uri: pack.sourceUri, revision: pack.sourceRevision },
    manifest_sha256: Digest.sha256(pack.manifest),
    desired_payload_hash: pack.desiredPayloadHash,
    host_requirement_digest: pack.hostRequirementDigest,
    components: pack.components.length,
    runtime_declarations: pack.runtimeDeclarations.length,
    provenance_digest: provenanceDigest,
    mapping_digest: mappingDigest,
    mapping,
    expected_catalog_checksum: expected.catalog,
    expected_runtime_checksum: expected.runtime,
  };
}
