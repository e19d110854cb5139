import { documentDigest, documentKind } from '@connector/kernel/document';
import { DOCUMENT_FAULTS_MAX, type DocumentFault, type DocumentFaults, faultsListed } from '@connector/kernel/document-fault';
import { closed, COUNT, DIGEST, listOf, oneOf, type Shape, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import type { Digest } from '@connector/kernel/digest';
import type { OperationId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import { CRM_APP_ID, mappingShape, sourceIdentity } from './mapping';

/** What names one conversion: sent again it is the same one (cat:CONV-08). */
export interface ConversionKey {
  readonly organization: string;
  readonly packInstallId: string;
  readonly appliedPayloadHash: Digest;
  readonly appReleaseDigest: Digest;
}

export function conversionKey({ organization, packInstallId, appliedPayloadHash, appReleaseDigest }: ConversionKey): Digest {
  const bytes = jcs({ organization, packInstallId, appliedPayloadHash, appReleaseDigest });
  return documentDigest('nexuscrm.legacy-conversion-key.v1', bytes);
}

const convertedShape = closed({
  source: closed({ kind: TEXT, uri: TEXT, revision: TEXT }),
  manifest_sha256: DIGEST,
  desired_payload_hash: DIGEST,
  host_requirement_digest: DIGEST,
  components: COUNT,
  runtime_declarations: COUNT,
  provenance_digest: DIGEST,
  mapping_digest: DIGEST,
  mapping: mappingShape,
  expected_catalog_checksum: DIGEST,
  expected_runtime_checksum: DIGEST,
});
/** Of a conversion: what was converted, by which mapping, and what it was proven against. */
export type ConvertedEntry = TypeOf<typeof convertedShape>;

const POINTER: Shape<string> = { schema: { type: 'string', maxLength: 512 } };
const faultShape = closed({ pointer: POINTER, code: TEXT, rule: TEXT, expected: TEXT, found: TEXT });
const failedShape = closed({ outcome: oneOf('failed'), faults: listOf(faultShape, DOCUMENT_FAULTS_MAX), more: COUNT });

/** The separators are ours. */
export const convertedEntry = documentKind<ConvertedEntry>({
  name: 'conversion',
  separator: 'nexuscrm.legacy-conversion.v1',
  shape: convertedShape,
});
export const failedEntry = documentKind<TypeOf<typeof failedShape>>({
  name: 'failed conversion',
  separator: 'nexuscrm.legacy-conversion-failed.v1',
  shape: failedShape,
});

/** The row of an attempt, but for what says that it succeeded. */
export const attemptRow = (key: ConversionKey, attemptId: OperationId, caller: string) => ({
  organization_id: key.organization,
  attempt_id: attemptId,
  pack_install_id: key.packInstallId,
  applied_payload_hash: key.appliedPayloadHash,
  app_id: CRM_APP_ID as string,
  app_release_digest: key.appReleaseDigest,
  caller,
});

/** A conversion that is proven, to be journaled in the commit that opens its installation. */
export interface ProvenConversion {
  readonly key: ConversionKey;
  /** The hold of its source, under which it was proven (cat:CONV-19). */
  readonly attemptId: OperationId;
  readonly entry: ConvertedEntry;
}

export const convertedSource = ({ mapping }: ConvertedEntry): Digest => sourceIdentity(mapping.source);

export function failureOf(faults: readonly DocumentFault[]): Buffer {
  const listed: DocumentFaults = faultsListed(
    faults.map(({ pointer, code, rule, expected, found }) => ({ pointer, code, rule, expected, found })),
  );
  return failedEntry.build({ outcome: 'failed', ...listed }).bytes;
}
