import type { Lineage } from '@connector/kernel/digest-profile';
import type { DocumentBytes } from '@connector/kernel/document';
import type { ActiveTuple, WorkloadGrant } from './active-tuple';
import { bindingView, sourceSnapshot, type ViewBinding } from './documents';

export interface MadeView {
  readonly snapshot: DocumentBytes;
  readonly view: DocumentBytes;
  readonly capabilityVersion: bigint;
}

/** The L0 capability under which a workload may run the connector (catalog.md B.4); its major is the capability version. */
export const CONNECTOR_CAPABILITY = 'runtime.integrations.run';
const MAJOR = /^runtime\.integrations\.run\.v([1-9][0-9]{0,9})$/;

/** The highest major that the workload was granted, 0 where none. */
export function capabilityVersionOf({ capabilities }: WorkloadGrant): bigint {
  return capabilities.reduce((highest, capability) => {
    const major = BigInt(MAJOR.exec(capability)?.[1] ?? 0);
    return major > highest ? major : highest;
  }, 0n);
}

/** The view of one workload. Pure: the same facts give the same bytes (cat:INT-08). */
export function viewOf(tuple: ActiveTuple, grant: WorkloadGrant, lineage: Lineage, bindings: readonly ViewBinding[]): MadeView {
  const installation = { organization_id: tuple.organization, app_installation_id: tuple.installation };
  const snapshot = sourceSnapshot.build({
    schema_version: 'nexuscrm.integration-source-snapshot/v1',
    ...installation,
    app_release_digest: tuple.appReleaseDigest,
    dependency_release_digests: [...new Set(tuple.dependencyReleaseDigests)],
    granted_runtime_capabilities: [...new Set(grant.capabilities)],
    pack_generations: generationsOf(bindings),
  });
  const view = bindingView.build({
    schema_version: 'nexuscrm.integration-binding-view/v1',
    ...installation,
    authorized_workload_id: grant.workloadId,
    lineage: {
      lineage_id: lineage.lineageId,
      catalog_revision: lineage.catalogRevision.toString(),
      activation_epoch: lineage.activationEpoch.toString(),
    },
    source_snapshot_digest: snapshot.digest,
    bindings,
  });
  return { snapshot, view, capabilityVersion: capabilityVersionOf(grant) };
}

/** The pack generations behind the bindings, each once; two generations of one pack are refused as a repeated set member. */
function generationsOf(bindings: readonly ViewBinding[]) {
  const packs = bindings.map(({ owner_pack, pack_installation_id, pack_payload_digest }) => ({
    owner_pack,
    pack_installation_id,
    pack_payload_digest,
  }));
  return [...new Map(packs.map((pack) => [JSON.stringify(Object.values(pack)), pack])).values()];
}
