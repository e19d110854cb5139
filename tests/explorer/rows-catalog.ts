import { name, nullable } from '@connector/kernel/column';
import { readQuery, readRows } from '@connector/kernel/statement';
import { catPublicationBarrier } from '@connector/schema/catalog/barriers';
import {
  catBinding,
  catBindingReference,
  catBindingState,
  catInstallation,
  catLineage,
  catRevision,
} from '@connector/schema/catalog/installations';
import { catAuthorizedBinding, catIntegrationView, catMembershipHead, catViewCurrent } from '@connector/schema/catalog/membership';
import { CONVERSION_READS } from './rows-conversion';

const OF_ORGANIZATION = 'WHERE organization_id IN (:organization_id) LIMIT 1000';
const WORKLOAD = ['organization_id', 'app_installation_id', 'authorized_workload_id'] as const;

const { organization_id, app_installation_id, authorized_workload_id, lineage_id, catalog_revision } = catIntegrationView.columns;
const VIEW_KEY = { organization_id, app_installation_id, authorized_workload_id, lineage_id, catalog_revision };

const { state, barrier_fence, holder_fence, attempt_id } = catPublicationBarrier.columns;
const BARRIER_COLUMNS = { organization_id, app_installation_id, state, barrier_fence, holder_fence, attempt_id };

/** The rows of an organization in the App authority; a view as the text that it is. */
export const CATALOG_READS = {
  ...CONVERSION_READS,
  lineages: readRows(
    catLineage,
    ['organization_id', 'lineage_id', 'catalog_revision', 'open_installation_id', 'open_attempt'],
    OF_ORGANIZATION,
  ),
  revisions: readRows(catRevision, ['organization_id', 'lineage_id', 'catalog_revision', 'cause', 'app_installation_id'], OF_ORGANIZATION),
  barriers: readQuery(
    catPublicationBarrier,
    { ...BARRIER_COLUMNS, receipt: nullable(name(2_048)) },
    `SELECT organization_id, app_installation_id, state, barrier_fence, holder_fence, attempt_id, receipt
       FROM ${catPublicationBarrier.name} ${OF_ORGANIZATION}`,
  ),
  installations: readRows(
    catInstallation,
    [
      'organization_id',
      'app_installation_id',
      'live_app_id',
      'state',
      'attempt',
      'active_attempt',
      'active_security_epoch',
      'activation_epoch',
      'active_release_digest',
      'candidate_release_digest',
    ],
    OF_ORGANIZATION,
  ),
  bindings: readRows(catBinding, ['organization_id', 'app_installation_id', 'binding_id', 'app_release_digest'], OF_ORGANIZATION),
  heldBindings: readRows(
    catBindingState,
    ['organization_id', 'app_installation_id', 'binding_id', 'capability_id', 'state', 'ownership_epoch'],
    OF_ORGANIZATION,
  ),
  references: readRows(
    catBindingReference,
    ['organization_id', 'app_installation_id', 'binding_id', 'reference_id', 'open_binding_id'],
    OF_ORGANIZATION,
  ),
  memberships: readRows(catMembershipHead, [...WORKLOAD, 'catalog_revision', 'membership_digest'], OF_ORGANIZATION),
  authorized: readRows(catAuthorizedBinding, [...WORKLOAD, 'catalog_revision', 'ordinal', 'business_key'], OF_ORGANIZATION),
  views: readQuery(
    catIntegrationView,
    { ...VIEW_KEY, view: name(3_000_000), view_digest: catIntegrationView.columns.view_digest },
    `SELECT ${Object.keys(VIEW_KEY).join(', ')}, view, view_digest FROM ${catIntegrationView.name} ${OF_ORGANIZATION}`,
  ),
  pointers: readRows(catViewCurrent, [...WORKLOAD, 'lineage_id', 'catalog_revision', 'activation_epoch'], OF_ORGANIZATION),
} as const;
