import { nullable } from '@connector/kernel/column';
import type { Digest } from '@connector/kernel/digest';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBinding, catBindingState, catInstallation, catInstallationIdentity } from '@connector/schema/catalog/installations';
import { type BindingState, bindingMachine } from '../model/installation/binding';
import { installationMachine, type InstallationState } from '../model/installation/installation';
import { LIST_MAX, type Page, pageOf } from './page';

const STATE = catInstallation.columns;
const LIST = readQuery(
  catInstallation,
  {
    app_installation_id: STATE.app_installation_id,
    app_id: catInstallationIdentity.columns.app_id,
    state: STATE.state,
    active_release_digest: STATE.active_release_digest,
    activation_epoch: STATE.activation_epoch,
    attempt: STATE.attempt,
  },
  `SELECT i.app_installation_id, n.app_id, i.state, i.active_release_digest, i.activation_epoch, i.attempt
     FROM ${catInstallation.name} i
     JOIN ${catInstallationIdentity.name} n ON n.organization_id = i.organization_id AND n.app_installation_id = i.app_installation_id
    WHERE i.organization_id = :organization_id AND i.app_installation_id > :app_installation_id
    ORDER BY i.app_installation_id LIMIT ${LIST_MAX + 1}`,
  'list',
);
const BINDING = catBinding.columns;
const BINDINGS = readQuery(
  catBindingState,
  {
    binding_id: BINDING.binding_id,
    capability_id: BINDING.capability_id,
    handler_ref: BINDING.handler_ref,
    workload_id: BINDING.workload_id,
    artifact_digest: BINDING.artifact_digest,
    app_release_digest: BINDING.app_release_digest,
    state: catBindingState.columns.state,
    ownership_epoch: nullable(catBindingState.columns.ownership_epoch),
  },
  `SELECT b.binding_id, b.capability_id, b.handler_ref, b.workload_id, b.artifact_digest, b.app_release_digest, s.state, s.ownership_epoch
     FROM ${catBindingState.name} s
     JOIN ${catBinding.name} b ON b.organization_id = s.organization_id AND b.app_installation_id = s.app_installation_id
           AND b.binding_id = s.binding_id
    WHERE s.organization_id = :organization_id AND s.app_installation_id = :app_installation_id AND s.binding_id > :binding_id
    ORDER BY s.binding_id LIMIT ${LIST_MAX + 1}`,
  'list',
);

export interface ListedInstallation {
  readonly installation: string;
  readonly appId: string;
  readonly state: InstallationState;
  readonly activeReleaseDigest: Digest | null;
  readonly activationEpoch: bigint;
  readonly attempt: bigint;
}
export interface ListedBinding {
  readonly bindingId: string;
  readonly capabilityId: string;
  readonly state: BindingState;
  readonly ownershipEpoch: bigint | null;
  readonly handlerRef: string | null;
  readonly workloadId: string | null;
  readonly artifactDigest: Digest;
  readonly appReleaseDigest: Digest;
}

/** Installations of one organization, live or removed, in the order in which they were begun; `after` as of `listPublishers`. */
export async function listInstallations(db: Db, organization: string, limit: number, after: string): Promise<Page<ListedInstallation>> {
  const found = await db.read(LIST, { organization_id: organization, app_installation_id: after });
  const rows = found.map((row) => ({
    ...{ installation: row.app_installation_id, appId: row.app_id, state: installationMachine.parse(row.state) },
    ...{ activeReleaseDigest: row.active_release_digest, activationEpoch: row.activation_epoch, attempt: row.attempt },
  }));
  return pageOf(rows, limit, ({ installation }) => installation);
}

/** Every binding of an installation, whatever its state, in the order in which they were bound. */
export async function listBindings(
  db: Db,
  { organization, installation }: { readonly organization: string; readonly installation: string },
  limit: number,
  after: string,
): Promise<Page<ListedBinding>> {
  const found = await db.read(BINDINGS, { organization_id: organization, app_installation_id: installation, binding_id: after });
  const rows = found.map((row) => ({
    ...{ bindingId: row.binding_id, capabilityId: row.capability_id, state: bindingMachine.parse(row.state) },
    ...{ ownershipEpoch: row.ownership_epoch, handlerRef: row.handler_ref, workloadId: row.workload_id },
    ...{ artifactDigest: row.artifact_digest, appReleaseDigest: row.app_release_digest },
  }));
  return pageOf(rows, limit, ({ bindingId }) => bindingId);
}
