import { DefectFault, invariant } from '@connector/kernel/faults';
import type { Digest } from '@connector/kernel/digest';
import { isBindingKind } from '@connector/kernel/document-binding';
import { BindingRowId, ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { RowOf } from '@connector/kernel/table';
import type { Db } from '@connector/platform/db/db';
import { conEpoch, conEpochBinding, conEpochContent, conEpochCredential } from '@connector/schema/connector/serving';
import type {
  BindingPart,
  CatalogPart,
  ConfigurationPart,
  CredentialProof,
  DefinitionProof,
} from '../../model/digests/serving-epoch.parts';
import { epochMachine, type EpochState } from '../../model/serving/epoch';
import type { StoredEpoch } from '../../model/serving/verification';

type Content = RowOf<typeof conEpochContent>;
type BindingRow = RowOf<typeof conEpochBinding>;
type CredentialRow = RowOf<typeof conEpochCredential>;

const names = <T extends object>(columns: T): (keyof T & string)[] => Object.keys(columns) as (keyof T & string)[];
const HEADER = readRows(conEpoch, ['epoch_digest', 'state'], 'WHERE epoch_id = :epoch_id');
const CONTENT = readRows(conEpochContent, names(conEpochContent.columns), 'WHERE epoch_id = :epoch_id');
const BINDINGS = readRows(conEpochBinding, names(conEpochBinding.columns), 'WHERE epoch_id = :epoch_id ORDER BY ordinal LIMIT 2000');
const CREDENTIALS = readRows(
  conEpochCredential,
  names(conEpochCredential.columns),
  'WHERE epoch_id = :epoch_id ORDER BY ordinal LIMIT 2000',
);

export interface EpochHeader {
  readonly epochDigest: Digest;
  readonly state: EpochState;
}

export async function readEpochHeader(db: Db, epochId: EpochId): Promise<EpochHeader | undefined> {
  const row = await db.readOne(HEADER, { epoch_id: epochId });
  return row && { epochDigest: row.epoch_digest, state: epochMachine.parse(row.state) };
}

/**
 * What an epoch froze, by its exact id and digest; undefined for any other pair (con:FACT-07). A graph with a missing row is a defect and
 * never an epoch with less in it (con:EPOCH-F).
 */
export async function readEpochContent(db: Db, epochId: EpochId, epochDigest: Digest): Promise<StoredEpoch | undefined> {
  const content = await db.readOne(CONTENT, { epoch_id: epochId });
  if (content === undefined || content.epoch_digest !== epochDigest) return undefined;
  const bindings = await db.read(BINDINGS, { epoch_id: epochId });
  const credentials = await db.read(CREDENTIALS, { epoch_id: epochId });
  const whole = bindings.length === content.binding_count && credentials.length === content.credential_count;
  invariant(whole, 'HOUSE:connector:EpochGraphBroken', `${epochId}: ${bindings.length} bindings, ${credentials.length} credentials`);
  return {
    epochId,
    epochDigest,
    digestProfile: content.digest_profile,
    parts: {
      epochId: EpochId.bytes(epochId),
      servingScope: content.serving_scope,
      catalog: catalogOf(content),
      configuration: configurationOf(content, credentials),
      bindings: bindings.map(bindingOf),
      proofs: bindings.map(proofOf),
      credentials: credentials.map(credentialOf),
    },
  };
}

function catalogOf(row: Content): CatalogPart {
  const lineage = { lineageId: row.lineage_id, catalogRevision: row.catalog_revision, activationEpoch: row.activation_epoch };
  return {
    organization: row.organization_id,
    installation: row.app_installation_id,
    workload: row.authorized_workload_id,
    lineage,
    sourceSnapshotDigest: row.source_snapshot_digest,
    viewDigest: row.view_digest,
    receiptProtocol: row.view_receipt_protocol,
    // The two are equal in every epoch that was stored (con:PRE-11).
    receiptLineage: lineage,
    securityEpoch: row.security_epoch,
    capabilityVersion: row.capability_version,
  };
}

function configurationOf(row: Content, credentials: readonly CredentialRow[]): ConfigurationPart {
  return {
    generationProtocol: row.configuration_protocol,
    receiptProtocol: row.configuration_receipt_protocol,
    generationId: ConfigurationId.bytes(row.configuration_id),
    generationDigest: row.configuration_digest,
    receipt: row.configuration_receipt,
    receiptDigest: row.configuration_receipt_digest,
    credentialGenerations: credentials.map(({ generation_id }) => CredentialGenerationId.bytes(generation_id)),
  };
}

function bindingOf(row: BindingRow): BindingPart {
  if (!isBindingKind(row.kind)) throw new DefectFault('HOUSE:connector:BindingKindUnknown', `${row.epoch_id}: ${row.kind}`);
  const { runtime_definition_id: definitionId, runtime_definition_version: version } = row;
  return {
    ordinal: row.ordinal,
    rowId: BindingRowId.bytes(row.row_id),
    identity: row.binding_identity,
    kind: row.kind,
    ownerPack: row.owner_pack,
    packInstallation: row.pack_installation_id,
    packPayloadDigest: row.pack_payload_digest,
    businessKey: row.business_key,
    definitionVersion: row.definition_version,
    credentialRefs: refsOf(row.credential_refs),
    runtimeCommand: definitionId === null || version === null ? null : { definitionId, version },
  };
}

function refsOf(bytes: Buffer): readonly string[] {
  const refs: unknown = JSON.parse(bytes.toString('utf8'));
  const texts = Array.isArray(refs) ? refs.filter((ref) => typeof ref === 'string') : [];
  invariant(Array.isArray(refs) && texts.length === refs.length, 'HOUSE:connector:CredentialRefs', 'not a list of texts');
  return texts;
}

function proofOf(row: BindingRow): DefinitionProof {
  return {
    identity: row.binding_identity,
    packPayloadDigest: row.pack_payload_digest,
    packGenerationStorageId: row.pack_generation_storage_id,
    envelopeVersion: row.definition_envelope_version,
    receiptVersion: row.definition_receipt_version,
    definitionDigest: row.definition_digest,
    receipt: row.definition_receipt,
    receiptDigest: row.definition_receipt_digest,
  };
}

function credentialOf(row: CredentialRow): CredentialProof {
  return {
    ordinal: row.ordinal,
    generationId: CredentialGenerationId.bytes(row.generation_id),
    receiptProtocol: row.receipt_protocol,
    transportDigest: row.transport_digest,
    receipt: row.receipt,
    receiptDigest: row.receipt_digest,
  };
}
