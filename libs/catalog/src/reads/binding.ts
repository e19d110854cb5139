import type { Digest } from '@connector/kernel/digest';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBinding, catInstallationIdentity } from '@connector/schema/catalog/installations';

const { app_release_digest, capability_id, workload_id, artifact_digest } = catBinding.columns;
const BINDING = readQuery(
  catBinding,
  { app_id: catInstallationIdentity.columns.app_id, app_release_digest, capability_id, workload_id, artifact_digest },
  `SELECT n.app_id, b.app_release_digest, b.capability_id, b.workload_id, b.artifact_digest
     FROM ${catBinding.name} b
     JOIN ${catInstallationIdentity.name} n ON n.organization_id = b.organization_id AND n.app_installation_id = b.app_installation_id
    WHERE b.organization_id = :organization_id AND b.app_installation_id = :app_installation_id AND b.binding_id = :binding_id`,
);

/** Who serves what; none of it ever changes (cat:BIND-02). */
export interface BindingOf {
  readonly appId: string;
  readonly appReleaseDigest: Digest;
  readonly capabilityId: string;
  readonly workloadId: string | null;
  readonly artifactDigest: Digest;
}

export async function readBindingOf(db: Db, organization: string, installation: string, bindingId: string): Promise<BindingOf | undefined> {
  const row = await db.readOne(BINDING, { organization_id: organization, app_installation_id: installation, binding_id: bindingId });
  return (
    row && {
      appId: row.app_id,
      appReleaseDigest: row.app_release_digest,
      capabilityId: row.capability_id,
      workloadId: row.workload_id,
      artifactDigest: row.artifact_digest,
    }
  );
}
