import { readRows } from '@connector/kernel/statement';
import {
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
} from '@connector/schema/catalog/installations';
import { catIntegrationView, catViewCurrent } from '@connector/schema/catalog/membership';
import { catAppOwnership, catComponentOwner, catOwnershipEvent } from '@connector/schema/catalog/registry';
import { secCommand, secHead, secProjection } from '@connector/schema/security/security';

const INSTALLATION = ['organization_id', 'app_installation_id'] as const;
const ATTEMPT = [...INSTALLATION, 'attempt'] as const;
const VIEW = [...INSTALLATION, 'authorized_workload_id', 'lineage_id', 'catalog_revision'] as const;

/** What the audit asks of the App authority and of Runtime security; `all` is the end of each statement. */
export const appSelects = (all: string) => ({
  lineages: readRows(
    catLineage,
    ['organization_id', 'lineage_id', 'catalog_revision', 'open_installation_id', 'open_attempt'],
    all,
    'audited',
  ),
  revisions: readRows(
    catRevision,
    [
      ...(['organization_id', 'lineage_id', 'catalog_revision', 'cause', 'app_installation_id', 'attempt'] as const),
      ...(['activation_epoch', 'tuple_digest', 'projection_digest', 'security_epoch'] as const),
    ],
    all,
    'audited',
  ),
  identities: readRows(catInstallationIdentity, [...INSTALLATION, 'app_id'], all, 'audited'),
  installations: readRows(
    catInstallation,
    [
      ...ATTEMPT,
      ...(['live_app_id', 'state', 'active_release_digest', 'active_attempt'] as const),
      ...(['active_security_epoch', 'active_revision', 'activation_epoch'] as const),
    ],
    all,
    'audited',
  ),
  candidates: readRows(
    catCandidate,
    [...ATTEMPT, 'kind', 'app_release_digest', 'document', 'tuple_digest', 'projection_digest'],
    all,
    'audited',
  ),
  publicationSteps: readRows(catPublicationStep, [...ATTEMPT, 'step'], all, 'audited'),
  bindingStates: readRows(
    catBindingState,
    [...INSTALLATION, 'binding_id', 'capability_id', 'state', 'ownership_epoch', 'active_capability_id'],
    all,
    'audited',
  ),
  references: readRows(catBindingReference, [...INSTALLATION, 'binding_id', 'reference_id', 'open_binding_id'], all, 'audited'),
  retentions: readRows(catBindingRetention, [...INSTALLATION, 'binding_id'], all, 'audited'),
  claims: readRows(catNamespaceClaim, [...ATTEMPT, 'namespace_id', 'open_namespace_id'], all, 'audited'),
  ownershipHeads: readRows(catOwnershipHead, [...INSTALLATION, 'capability_id', 'ownership_epoch'], all, 'audited'),
  views: readRows(catIntegrationView, VIEW, all, 'audited'),
  currentViews: readRows(catViewCurrent, [...VIEW, 'activation_epoch'], all, 'audited'),
  appOwners: readRows(catAppOwnership, ['app_id', 'publisher_id', 'ownership_epoch'], all, 'audited'),
  ownershipEvents: readRows(catOwnershipEvent, ['app_id', 'ownership_epoch', 'new_publisher_id'], all, 'audited'),
  componentOwners: readRows(catComponentOwner, ['component_id', 'app_id'], all, 'audited'),
  securityHeads: readRows(secHead, ['organization_id', 'security_epoch', 'projection_digest'], all, 'audited'),
  securityProjections: readRows(secProjection, ['organization_id', 'security_epoch', 'projection', 'projection_digest'], all, 'audited'),
  securityCommands: readRows(secCommand, ['command_id', 'organization_id', 'security_epoch'], all, 'audited'),
});
