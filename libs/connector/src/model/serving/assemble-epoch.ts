import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { Digested, Lineage } from '@connector/kernel/digest-profile';
import { uuidBytes } from '@connector/kernel/document';
import { inTextOrder } from '@connector/kernel/document-order';
import { BindingRowId, ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import { bindingIdentityDigest, bindingRowDigest, type BindingName } from '../digests/binding';
import { servingScopeDigest, type ApplicationScope } from '../digests/scope';
import { servingEpochDigest } from '../digests/serving-epoch';
import type { EpochDefect } from '../digests/serving-epoch.check';
import type { BindingPart, CatalogPart, CredentialProof, DefinitionProof, ServingEpochParts } from '../digests/serving-epoch.parts';
import { channelFault, type ChannelFault } from './channel-fault';
import { companionFault, type CompanionFault } from './companion-fault';
import { relationFault, type RelationFault } from './credential-relation';
import { orderFault, type OrderFault } from './order-fault';
import type { CredentialAnswer, DefinitionAnswer, OwnerAnswers, OwnerName } from './owner-answers';
import { understand, type Disagreement, type Understood } from './owner-agreement';
import type { CredentialReceipt, ViewBinding } from './owner-documents';

export type AssembledEpoch =
  | {
      readonly kind: 'assembled';
      readonly parts: ServingEpochParts;
      readonly digested: Digested;
      /** The configuration's, in bytewise order: the accounts that get a gate. */
      readonly accounts: readonly AccountName[];
    }
  | {
      readonly kind: 'mismatch';
      readonly owner: OwnerName | 'connector';
      readonly code: Disagreement | RelationFault | ChannelFault | OrderFault | CompanionFault | EpochDefect;
    };

const NOTHING = { definitionBytes: Buffer.alloc(0) };

/** The serving epoch that these answers are, or why they are none. Pure: the same answers give the same bytes. */
export function assembleEpoch(epochId: EpochId, answers: OwnerAnswers): AssembledEpoch {
  const understood = understand(answers);
  if (understood.kind !== 'understood') return { ...understood, kind: 'mismatch' };
  const { view, configuration, credentials } = understood;
  const fault =
    relationFault(view, configuration, (id) => credentials.get(id)?.receipt) ?? channelFault(view, configuration, answers.definitions);
  if (fault !== undefined) return { kind: 'mismatch', owner: 'configuration', code: fault };
  const orders = view.bindings.map(({ kind }, at) =>
    kind === 'inbound-route' ? orderFault(answers.definitions[at] ?? NOTHING) : undefined,
  );
  const unusable = orders.find((found) => found !== undefined) ?? companionFault(view.bindings, answers.definitions);
  if (unusable !== undefined) return { kind: 'mismatch', owner: 'packs', code: unusable };
  const parts = partsOf(EpochId.bytes(epochId), answers, understood);
  const digested = servingEpochDigest(parts);
  if (digested.kind === 'refused') return { kind: 'mismatch', owner: 'connector', code: digested.reason };
  const accounts = inTextOrder(configuration.accounts.map(({ account }) => account as AccountName));
  return { kind: 'assembled', parts, digested, accounts };
}

function partsOf(
  epochId: Buffer,
  answers: OwnerAnswers,
  { view, viewReceipt, configuration, configurationReceipt, credentials }: Understood,
): ServingEpochParts {
  const scope: ApplicationScope = {
    organization: view.organization_id,
    installation: view.app_installation_id,
    workload: view.authorized_workload_id,
  };
  const catalog: CatalogPart = {
    ...scope,
    lineage: lineageOf(view.lineage),
    sourceSnapshotDigest: answers.view.sourceSnapshotDigest,
    viewDigest: answers.view.viewDigest,
    receiptProtocol: viewReceipt.receipt_protocol,
    receiptLineage: lineageOf(viewReceipt.lineage),
    securityEpoch: viewReceipt.security_epoch,
    capabilityVersion: viewReceipt.capability_version,
  };
  const bindings = view.bindings.map((row, ordinal) => bindingOf(scope, epochId, row, ordinal));
  const service = { environment: configuration.environment_id, service: configuration.service_id };
  return {
    epochId,
    servingScope: servingScopeDigest({ ...scope, ...service }).digest,
    catalog,
    configuration: {
      generationProtocol: configuration.schema_version,
      receiptProtocol: configurationReceipt.receipt_protocol,
      generationId: ConfigurationId.bytes(answers.question.configurationId),
      generationDigest: answers.configuration.generationDigest,
      receipt: answers.configuration.receiptBytes,
      receiptDigest: answers.configuration.receiptDigest,
      credentialGenerations: generationsOf(configuration),
    },
    bindings,
    proofs: bindings.flatMap((binding, at) => answers.definitions.slice(at, at + 1).map((answer) => proofOf(binding, answer))),
    credentials: [...credentials.values()]
      .sort((left, right) => Buffer.compare(bytesOf(left.generationId), bytesOf(right.generationId)))
      .map(({ generationId, answer, receipt }, ordinal) => credentialOf(generationId, answer, receipt, ordinal)),
  };
}

/** What the relation names, each once and in the order of the proofs, as the stored candidate has them. */
function generationsOf({ credential_relation: relation }: Understood['configuration']): readonly Buffer[] {
  const distinct = [...new Set(relation.map((entry) => entry.credential_generation_id))];
  return distinct.map(uuidBytes).sort((left, right) => Buffer.compare(left, right));
}

const bytesOf = (id: CredentialGenerationId): Buffer => CredentialGenerationId.bytes(id);

function lineageOf(from: Understood['view']['lineage']): Lineage {
  return {
    lineageId: from.lineage_id,
    catalogRevision: BigInt(from.catalog_revision),
    activationEpoch: BigInt(from.activation_epoch),
  };
}

export function bindingNameOf(row: ViewBinding): BindingName {
  return {
    kind: row.kind,
    ownerPack: row.owner_pack,
    packInstallation: row.pack_installation_id,
    businessKey: row.business_key,
    definitionVersion: row.definition_version,
  };
}

function bindingOf(scope: ApplicationScope, epochId: Buffer, row: ViewBinding, ordinal: number): BindingPart {
  const name = bindingNameOf(row);
  const identity: Digest = bindingIdentityDigest(scope, name).digest;
  const command = row.runtime_command;
  return {
    ...name,
    ordinal,
    rowId: BindingRowId.bytes(bindingRowDigest(epochId, ordinal, identity).id),
    identity,
    packPayloadDigest: row.pack_payload_digest,
    credentialRefs: row.credential_refs,
    runtimeCommand: command ? { definitionId: command.definition_id, version: command.definition_version } : null,
  };
}

function proofOf({ identity, packPayloadDigest }: BindingPart, answer: DefinitionAnswer): DefinitionProof {
  return {
    identity,
    packPayloadDigest,
    packGenerationStorageId: answer.packGenerationStorageId,
    envelopeVersion: answer.definitionEnvelopeVersion,
    receiptVersion: answer.definitionReceiptVersion,
    definitionDigest: answer.canonicalDefinitionDigest,
    receipt: answer.receiptBytes,
    receiptDigest: answer.receiptDigest,
  };
}

function credentialOf(id: CredentialGenerationId, answer: CredentialAnswer, receipt: CredentialReceipt, ordinal: number): CredentialProof {
  return {
    ordinal,
    generationId: bytesOf(id),
    receiptProtocol: receipt.receipt_protocol,
    transportDigest: answer.transportDigest,
    receipt: answer.receiptBytes,
    receiptDigest: answer.receiptDigest,
  };
}
