import type { Table } from '@connector/kernel/table';
import { catPublicationBarrier } from './catalog/barriers';
import { catAuthorizedBinding, catIntegrationView, catMembershipHead, catViewCurrent } from './catalog/membership';
import { artBlob } from './artifacts/artifacts';
import { catConversion, catLegacyDeletion, catLegacyReader } from './catalog/conversion';
import {
  catApp,
  catAppOwnership,
  catAppRelease,
  catCapabilityOwner,
  catComponentOwner,
  catKeyRevocation,
  catMetadataBundle,
  catOwnershipEvent,
  catPublisher,
  catPublisherKey,
  catPublisherPrefix,
  catReleaseBlock,
  catReleaseDependency,
  catSlotHead,
  catSlotReleaseVersion,
  catSlotReservation,
  catSlotRevision,
  catTransferOffer,
} from './catalog/registry';
import {
  catBinding,
  catBindingReference,
  catBindingRetention,
  catBindingState,
  catCandidate,
  catInstallation,
  catInstallationIdentity,
  catLineage,
  catNamespaceClaim,
  catOwnershipHead,
  catPublicationStep,
  catRevision,
} from './catalog/installations';
import { catAudit, catRequest } from './catalog/request';
import { conAuditOutbox } from './connector/audit';
import { conExecution, conExecutionAttempt, conResultCorrelation } from './connector/execution';
import {
  conAdmissionKey,
  conComponent,
  conComponentRefusal,
  conConflictingRedelivery,
  conEvent,
  conMaterialization,
  conProjection,
  conReceipt,
} from './connector/inbound';
import { conExecutionDependency, conOrderingLane, conSupersededDecision } from './connector/ordering';
import { conSchemaRevision } from './connector/schema-revision';
import {
  conDispatchPermit,
  conEffectAttempt,
  conEffectEvidence,
  conEffectFeed,
  conEgressHolder,
  conEgressHolderGeneration,
  conRemoteEffect,
  conRemoteLink,
} from './connector/outbound';
import {
  conAccountWork,
  conChannelKeyGate,
  conCredentialGate,
  conEpoch,
  conEpochBinding,
  conEpochContent,
  conEpochCredential,
  conEpochVerification,
  conGenesisCertificate,
  conOperation,
  conService,
  conServingGate,
} from './connector/serving';
import {
  ctlChannelKey,
  ctlChannelKeyRetirement,
  ctlChannelKeySet,
  ctlCredentialDecision,
  ctlCredentialGeneration,
  ctlIsolation,
  ctlSecretUse,
  ctlServiceConfiguration,
  ctlTermination,
} from './control/control';
import { jrnGenesisCommit, jrnGenesisIntent, jrnService } from './journal/journal';
import { jrnSchemaRevision } from './journal/schema-revision';
import {
  pckAudit,
  pckDefinition,
  pckEpochPin,
  pckGeneration,
  pckGenerationPin,
  pckInstallation,
  pckPublicationBarrier,
} from './packs/packs';
import { runApplicationResult, runCommand, runCommandStart, runFeedHead, runOutboundCommand, runRecord } from './runtime/runtime';
import { secCommand, secHead, secProjection } from './security/security';

/** Every table of the main database, by the area that declares it: the schema catalog (con:INV-22). */
export const MAIN_AREAS = {
  revisions: [conSchemaRevision],
  serving: [
    conService,
    conServingGate,
    conEpoch,
    conEpochContent,
    conEpochBinding,
    conEpochCredential,
    conEpochVerification,
    conGenesisCertificate,
    conCredentialGate,
    conChannelKeyGate,
    conOperation,
    conAccountWork,
    conAuditOutbox,
  ],
  inbound: [
    conAdmissionKey,
    conReceipt,
    conConflictingRedelivery,
    conMaterialization,
    conComponent,
    conComponentRefusal,
    conEvent,
    conProjection,
  ],
  execution: [conExecution, conExecutionAttempt, conResultCorrelation],
  ordering: [conOrderingLane, conSupersededDecision, conExecutionDependency],
  outbound: [
    conEgressHolder,
    conEgressHolderGeneration,
    conEffectFeed,
    conRemoteEffect,
    conEffectAttempt,
    conDispatchPermit,
    conEffectEvidence,
    conRemoteLink,
  ],
  runtime: [runCommand, runCommandStart, runApplicationResult, runRecord, runFeedHead, runOutboundCommand],
  membership: [catMembershipHead, catAuthorizedBinding, catIntegrationView, catViewCurrent],
  artifacts: [artBlob],
  registry: [
    catRequest,
    catAudit,
    catPublisher,
    catPublisherPrefix,
    catPublisherKey,
    catKeyRevocation,
    catApp,
    catAppOwnership,
    catOwnershipEvent,
    catTransferOffer,
    catMetadataBundle,
    catAppRelease,
    catReleaseDependency,
    catReleaseBlock,
    catComponentOwner,
    catCapabilityOwner,
    catSlotReservation,
    catSlotRevision,
    catSlotHead,
    catSlotReleaseVersion,
  ],
  installations: [
    catLineage,
    catRevision,
    catInstallationIdentity,
    catInstallation,
    catPublicationBarrier,
    catCandidate,
    catPublicationStep,
    catNamespaceClaim,
    catBinding,
    catBindingState,
    catOwnershipHead,
    catBindingReference,
    catBindingRetention,
  ],
  conversion: [catConversion, catLegacyReader, catLegacyDeletion],
  security: [secHead, secProjection, secCommand],
  packs: [pckInstallation, pckPublicationBarrier, pckGeneration, pckDefinition, pckEpochPin, pckGenerationPin, pckAudit],
  control: [
    ctlServiceConfiguration,
    ctlCredentialGeneration,
    ctlCredentialDecision,
    ctlSecretUse,
    ctlChannelKeySet,
    ctlChannelKey,
    ctlChannelKeyRetirement,
    ctlTermination,
    ctlIsolation,
  ],
} as unknown as Readonly<Record<string, readonly Table[]>>;

/** Every table of the journal database, which survives a restore of the main one. */
export const JOURNAL_AREAS = {
  revisions: [jrnSchemaRevision],
  journal: [jrnService, jrnGenesisIntent, jrnGenesisCommit],
} as unknown as Readonly<Record<string, readonly Table[]>>;

export const MAIN_TABLES: readonly Table[] = Object.values(MAIN_AREAS).flat();
export const JOURNAL_TABLES: readonly Table[] = Object.values(JOURNAL_AREAS).flat();
