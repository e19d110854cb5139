import type { BindingKind } from '@connector/kernel/document-binding';
import type { Lineage } from '@connector/kernel/digest-profile';
import { uuidBytes } from '@connector/kernel/document';
import type {
  BindingPart,
  CatalogPart,
  CredentialProof,
  DefinitionProof,
  ServingEpochParts,
} from '@connector/connector/model/digests/serving-epoch.parts';
import { ownerVector, profiledVector, viewVectors } from './load';

const STORAGE: Readonly<Record<string, string>> = profiledVector('serving epoch').inputs.pack_generation_storage_ids as Record<
  string,
  string
>;
const { view, receipt } = viewVectors;

function lineage(from: typeof view.lineage): Lineage {
  return {
    lineageId: from.lineage_id,
    catalogRevision: BigInt(from.catalog_revision),
    activationEpoch: BigInt(from.activation_epoch),
  };
}

function catalog(): CatalogPart {
  return {
    organization: view.organization_id,
    installation: view.app_installation_id,
    workload: view.authorized_workload_id,
    lineage: lineage(view.lineage),
    sourceSnapshotDigest: viewVectors.source_snapshot_digest.digest,
    viewDigest: viewVectors.view_digest.digest,
    receiptProtocol: receipt.receipt_protocol,
    receiptLineage: lineage(receipt.lineage),
    securityEpoch: receipt.security_epoch,
    capabilityVersion: receipt.capability_version,
  };
}

function bindings(): BindingPart[] {
  return view.bindings.map((row, ordinal) => ({
    ordinal,
    rowId: Buffer.from(profiledVector(`binding row ${ordinal}`).digest.slice(7, 39), 'hex'),
    identity: profiledVector(`binding identity ${ordinal}`).digest,
    kind: row.kind as BindingKind,
    ownerPack: row.owner_pack,
    packInstallation: row.pack_installation_id,
    packPayloadDigest: row.pack_payload_digest,
    businessKey: row.business_key,
    definitionVersion: row.definition_version,
    credentialRefs: row.credential_refs,
    runtimeCommand: row.runtime_command
      ? { definitionId: row.runtime_command.definition_id, version: row.runtime_command.definition_version }
      : null,
  }));
}

function proofs(): DefinitionProof[] {
  return view.bindings.map((row, ordinal) => {
    const owner = ownerVector(`definition receipt ${row.kind}/${row.business_key}`);
    return {
      identity: profiledVector(`binding identity ${ordinal}`).digest,
      packPayloadDigest: row.pack_payload_digest,
      packGenerationStorageId: STORAGE[row.owner_pack] as string,
      envelopeVersion: '1',
      receiptVersion: '1',
      definitionDigest: ownerVector(`definition ${row.kind}/${row.business_key}`).digest,
      receipt: Buffer.from(owner.jcs_utf8, 'utf8'),
      receiptDigest: owner.digest,
    };
  });
}

function credentials(): CredentialProof[] {
  return ['webhook-secret', 'primary'].map((ref, ordinal) => {
    const owner = ownerVector(`credential receipt ${ref}`);
    return {
      ordinal,
      generationId: uuidBytes(owner.document.credential_generation_id as string),
      receiptProtocol: owner.document.receipt_protocol as string,
      transportDigest: ownerVector(`credential transport ${ref}`).digest,
      receipt: Buffer.from(owner.jcs_utf8, 'utf8'),
      receiptDigest: owner.digest,
    };
  });
}

/** The serving epoch of the vectors, from its parts; owners' receipts as the bytes that they are. */
export function vectorEpoch(): ServingEpochParts {
  const { inputs } = profiledVector('serving epoch');
  const configuration = ownerVector('service configuration');
  const configurationReceipt = ownerVector('service configuration receipt');
  return {
    epochId: uuidBytes(inputs.epoch_id as string),
    servingScope: profiledVector('serving scope').digest,
    catalog: catalog(),
    configuration: {
      generationProtocol: configuration.document.schema_version as string,
      receiptProtocol: configurationReceipt.document.receipt_protocol as string,
      generationId: uuidBytes(inputs.service_configuration_id as string),
      generationDigest: configuration.digest,
      receipt: Buffer.from(configurationReceipt.jcs_utf8, 'utf8'),
      receiptDigest: configurationReceipt.digest,
      credentialGenerations: credentials().map(({ generationId }) => generationId),
    },
    bindings: bindings(),
    proofs: proofs(),
    credentials: credentials(),
  };
}
