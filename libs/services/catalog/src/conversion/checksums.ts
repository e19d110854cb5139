import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { appGrants, type WorkloadGrant } from '@connector/security/contract/projection';
import { failed } from '@connector/catalog/model/installation/asked';
import type { Candidate } from '@connector/catalog/model/installation/candidate';
import { compileTuple } from '@connector/catalog/model/installation/tuple';
import type { AppManifest } from '@connector/catalog/model/manifest';

/** Stands where the id of the installation will be: it is minted, and no generator beside Catalog could know it. */
export const UNMINTED = '00000000-0000-0000-0000-000000000000';

/** What Catalog and Runtime will hold of the installation, under the id `UNMINTED`. */
export interface ProjectionChecksums {
  readonly catalog: Digest;
  readonly runtime: Digest;
}

export function checksumsOf(candidate: Candidate, manifest: AppManifest): ProjectionChecksums {
  const { organization_id, app_release_digest } = candidate;
  const grants = candidate.grants as readonly WorkloadGrant[];
  return {
    catalog: compileTuple({ ...candidate, app_installation_id: UNMINTED }, manifest).digest,
    runtime: appGrants.build({
      schema_version: 'nexuscrm.runtime-app-grants/v1',
      organization_id,
      installations: [{ app_installation_id: UNMINTED, app_release_digest, grants }],
    }).digest,
  };
}

/** Proof 7: what would be projected is what somebody else computed (cat:CONV-17). */
export function checksumFaults(made: ProjectionChecksums, expected: ProjectionChecksums): readonly DocumentFault[] {
  return (['catalog', 'runtime'] as const)
    .filter((side) => made[side] !== expected[side])
    .map((side) => failed('CONV-17', `/expected_${side}_checksum`, 'PROJECTION_UNEXPECTED', made[side], expected[side]));
}
