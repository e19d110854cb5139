import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { candidateDocument } from '@connector/catalog/model/installation/candidate';
import { appGrants, projectionOf } from '@connector/security/contract/projection';
import type { Rows } from './rows';

const digest = (text: string): Digest => Digest.sha256(Buffer.from(text, 'utf8'));
const ORG = 'org-1';
const APP = 'dev.example.app';
const INSTALLATION = { organization_id: ORG, app_installation_id: '018f3c2a-0001-7000-8000-000000000002' };
const LINEAGE = { organization_id: ORG, lineage_id: '018f3c2a-0001-7000-8000-000000000003' };
const BINDING = '018f3c2a-0001-7000-8000-000000000004';
const CAPABILITY = `${APP}.run.v1`;
const WORKLOAD = 'wl.one';
const ATTEMPT = { ...INSTALLATION, attempt: 1n };
const GRANTS = [{ workload_id: WORKLOAD, capabilities: ['runtime.records.read.v1'] }];
const PROJECTION = projectionOf(
  appGrants.build({
    schema_version: 'nexuscrm.runtime-app-grants/v1',
    organization_id: ORG,
    installations: [{ app_installation_id: INSTALLATION.app_installation_id, app_release_digest: digest('release'), grants: GRANTS }],
  }).bytes,
  digest('other inputs'),
);
const TUPLE = { tuple_digest: digest('tuple'), projection_digest: PROJECTION.digest };

const document = candidateDocument.build({
  schema_version: 'nexuscrm.app-installation-candidate/v1',
  organization_id: ORG,
  app_installation_id: INSTALLATION.app_installation_id,
  attempt: '1',
  app_id: APP,
  app_release_digest: digest('release'),
  dependencies: [],
  grants: GRANTS,
  handler_bindings: [{ binding_id: BINDING, capability_id: CAPABILITY, workload_id: WORKLOAD, service_release_digest: digest('service') }],
  schema_generation: '1',
}).bytes;

/** One App, installed and published in one organization, as its publication leaves it. */
export function installedRows(): Pick<Rows, 'installations' | 'candidates'> & AppRows {
  const view = { ...INSTALLATION, authorized_workload_id: WORKLOAD, lineage_id: LINEAGE.lineage_id, catalog_revision: 1n };
  const epoch = { organization_id: ORG, security_epoch: 1n };
  return {
    lineages: [{ ...LINEAGE, catalog_revision: 1n, open_installation_id: null, open_attempt: null }],
    revisions: [
      {
        ...{ ...LINEAGE, ...ATTEMPT, ...TUPLE, catalog_revision: 1n, cause: 'publication' },
        ...{ activation_epoch: 1n, security_epoch: 1n },
      },
    ],
    identities: [{ ...INSTALLATION, app_id: APP }],
    installations: [
      {
        ...{ ...ATTEMPT, live_app_id: APP, state: 'ACTIVE', active_release_digest: digest('release'), active_attempt: 1n },
        ...{ active_security_epoch: 1n, active_revision: 1n, activation_epoch: 1n },
      },
    ],
    candidates: [{ ...ATTEMPT, ...TUPLE, kind: 'install', app_release_digest: digest('release'), document }],
    publicationSteps: ['opened', 'compiled', 'acknowledged', 'published'].map((step) => ({ ...ATTEMPT, step })),
    bindingStates: [
      {
        ...{ ...INSTALLATION, binding_id: BINDING, capability_id: CAPABILITY, state: 'ACTIVE' },
        ...{ ownership_epoch: 1n, active_capability_id: CAPABILITY },
      },
    ],
    references: [{ ...INSTALLATION, binding_id: BINDING, reference_id: 'work-1', open_binding_id: BINDING }],
    retentions: [],
    claims: [{ ...ATTEMPT, namespace_id: `${APP}.layouts`, open_namespace_id: `${APP}.layouts` }],
    ownershipHeads: [{ ...INSTALLATION, capability_id: CAPABILITY, ownership_epoch: 1n }],
    views: [view],
    currentViews: [{ ...view, activation_epoch: 1n }],
    appOwners: [{ app_id: APP, publisher_id: 'dev.example', ownership_epoch: 1n }],
    ownershipEvents: [{ app_id: APP, ownership_epoch: 1n, new_publisher_id: 'dev.example' }],
    componentOwners: [{ component_id: digest('component'), app_id: APP }],
    securityHeads: [{ ...epoch, projection_digest: TUPLE.projection_digest }],
    securityProjections: [{ ...epoch, projection: PROJECTION.bytes, projection_digest: PROJECTION.digest }],
    securityCommands: [{ ...epoch, command_id: OperationId.mint() }],
  };
}

type AppRows = Pick<
  Rows,
  | 'lineages'
  | 'revisions'
  | 'identities'
  | 'publicationSteps'
  | 'bindingStates'
  | 'references'
  | 'retentions'
  | 'claims'
  | 'ownershipHeads'
  | 'views'
  | 'currentViews'
  | 'appOwners'
  | 'ownershipEvents'
  | 'componentOwners'
  | 'securityHeads'
  | 'securityProjections'
  | 'securityCommands'
>;
