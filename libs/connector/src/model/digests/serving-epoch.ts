import { type DigestBuilder, type Digested, FieldWriter } from '@connector/kernel/digest-profile';
import { profiled } from './profiled';
import { epochDefect, type EpochRefusal } from './serving-epoch.check';
import type {
  BindingPart,
  CatalogPart,
  ConfigurationPart,
  CredentialProof,
  DefinitionProof,
  ServingEpochParts,
} from './serving-epoch.parts';

function writeCatalog(writer: DigestBuilder, catalog: CatalogPart): void {
  writer
    .text('organization', catalog.organization)
    .text('installation', catalog.installation)
    .text('workload', catalog.workload)
    .lineage('lineage', catalog.lineage)
    .digest('source_snapshot_digest', catalog.sourceSnapshotDigest)
    .digest('view_digest', catalog.viewDigest)
    .text('receipt_protocol', catalog.receiptProtocol)
    .lineage('receipt_lineage', catalog.receiptLineage)
    .text('security_epoch', catalog.securityEpoch)
    .text('capability_version', catalog.capabilityVersion);
}

function writeConfiguration(writer: DigestBuilder, configuration: ConfigurationPart): void {
  writer
    .text('generation_protocol', configuration.generationProtocol)
    .text('receipt_protocol', configuration.receiptProtocol)
    .id('generation_id', configuration.generationId)
    .digest('generation_digest', configuration.generationDigest)
    .bytes('receipt', configuration.receipt)
    .digest('receipt_digest', configuration.receiptDigest);
}

/** A blob of its own, so that a reader can compare it without knowing what is in it. */
function credentialRefsBlob(refs: readonly string[]): Buffer {
  return new FieldWriter().list('credential_refs', refs, (writer, ref) => writer.text('credential_ref', ref)).framed();
}

function writeBinding(writer: DigestBuilder, binding: BindingPart): void {
  writer
    .int('ordinal', binding.ordinal)
    .id('row_id', binding.rowId)
    .digest('identity', binding.identity)
    .text('kind', binding.kind)
    .text('owner_pack', binding.ownerPack)
    .text('pack_installation', binding.packInstallation)
    .digest('pack_payload_digest', binding.packPayloadDigest)
    .text('business_key', binding.businessKey)
    .text('definition_version', binding.definitionVersion)
    .bytes('credential_refs', credentialRefsBlob(binding.credentialRefs))
    .opt('runtime_command', binding.runtimeCommand, (inner, command) =>
      inner.text('definition_id', command.definitionId).text('version', command.version),
    );
}

function writeProof(writer: DigestBuilder, proof: DefinitionProof): void {
  writer
    .text('pack_generation_storage_id', proof.packGenerationStorageId)
    .text('envelope_version', proof.envelopeVersion)
    .text('receipt_version', proof.receiptVersion)
    .digest('definition_digest', proof.definitionDigest)
    .bytes('receipt', proof.receipt)
    .digest('receipt_digest', proof.receiptDigest);
}

function writeCredential(writer: DigestBuilder, proof: CredentialProof): void {
  writer
    .int('ordinal', proof.ordinal)
    .id('generation_id', proof.generationId)
    .text('receipt_protocol', proof.receiptProtocol)
    .digest('transport_digest', proof.transportDigest)
    .bytes('receipt', proof.receipt)
    .digest('receipt_digest', proof.receiptDigest);
}

/** The bytes of parts that `epochDefect` found to be one epoch; apart from it only so that each element's place can be tested. */
export function writeServingEpoch(parts: ServingEpochParts): DigestBuilder {
  const writer = profiled('serving-epoch').id('epoch_id', parts.epochId).digest('serving_scope', parts.servingScope);
  writeCatalog(writer, parts.catalog);
  writeConfiguration(writer, parts.configuration);
  return writer
    .list('bindings', parts.bindings, (_, binding, at) => {
      writeBinding(writer, binding);
      // The proof follows its binding immediately (con:PRE-32).
      parts.proofs.slice(at, at + 1).forEach((proof) => writeProof(writer, proof));
    })
    .list('credentials', parts.credentials, (_, proof) => writeCredential(writer, proof));
}

export type ServingEpochDigest = ({ readonly kind: 'digested' } & Digested) | ({ readonly kind: 'refused' } & EpochRefusal);

/** The digest that says what an epoch serves, down to every owner's receipt; or why the parts are not one epoch. */
export function servingEpochDigest(parts: ServingEpochParts): ServingEpochDigest {
  const defect = epochDefect(parts);
  return defect ? { kind: 'refused', ...defect } : { kind: 'digested', ...writeServingEpoch(parts).build() };
}
