import { lockRows, readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catBinding, catBindingState } from '@connector/schema/catalog/installations';
import { bindingMachine, type BindingState } from '../../model/installation/binding';

/** A binding of one installation. */
export interface BindingRef {
  readonly organization: string;
  readonly installation: string;
  readonly bindingId: string;
}

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND binding_id = :binding_id';
const STATE = lockRows(catBindingState, ['state', 'capability_id'], ONE);
const BINDING = readRows(catBinding, ['app_release_digest', 'capability_id', 'workload_id', 'artifact_digest'], ONE);

export const bindingKey = ({ organization, installation, bindingId }: BindingRef) => ({
  organization_id: organization,
  app_installation_id: installation,
  binding_id: bindingId,
});

/** Its installation's row is locked before; undefined where there is no such binding. */
export async function lockBinding(
  tx: FencedTx,
  ref: BindingRef,
): Promise<{ readonly state: BindingState; readonly capabilityId: string } | undefined> {
  const row = await tx.lock(STATE, bindingKey(ref));
  return row && { state: bindingMachine.parse(row.state), capabilityId: row.capability_id };
}

/** Who serves what: it never changes (cat:BIND-02). */
export async function readBinding(tx: FencedTx, ref: BindingRef) {
  const [row] = await tx.read(BINDING, bindingKey(ref));
  return (
    row && {
      appReleaseDigest: row.app_release_digest,
      capabilityId: row.capability_id,
      workloadId: row.workload_id,
      artifactDigest: row.artifact_digest,
    }
  );
}
