import { invariant } from '@connector/kernel/faults';
import { lockRows, readRows } from '@connector/kernel/statement';
import type { RowOf } from '@connector/kernel/table';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCandidate, catInstallation } from '@connector/schema/catalog/installations';
import type { ActiveTuple } from '../model/active-tuple';
import { candidateDocument } from '../model/installation/candidate';

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const LOCK = lockRows(
  catInstallation,
  [
    'organization_id',
    'app_installation_id',
    'live_app_id',
    'state',
    'failed_from',
    'attempt',
    'active_release_digest',
    'candidate_release_digest',
    'last_active_release_digest',
    'active_attempt',
    'active_security_epoch',
    'active_revision',
    'activation_epoch',
  ],
  ONE,
);
const ACTIVE = readRows(catCandidate, ['document'], `${ONE} AND attempt = :attempt`, 'tuple');

export type LockedInstallation = RowOf<typeof catInstallation>;

/** Its organization's lineage row is locked before; undefined where there is no such installation. */
export function lockInstallation(tx: FencedTx, organization: string, installation: string): Promise<LockedInstallation | undefined> {
  return tx.lock(LOCK, { organization_id: organization, app_installation_id: installation });
}

/** What is published of a locked installation; undefined while nothing is (cat:INT-22). */
export async function activeTupleOf(tx: FencedTx, locked: LockedInstallation): Promise<ActiveTuple | undefined> {
  const { organization_id: organization, app_installation_id: installation, active_attempt: attempt } = locked;
  if (attempt === null) return undefined;
  const [row] = await tx.read(ACTIVE, { organization_id: organization, app_installation_id: installation, attempt });
  invariant(row !== undefined, 'HOUSE:catalog:CandidateMissing', `${installation} is ACTIVE by an attempt that has no candidate`);
  return activeTuple(organization, installation, row.document);
}

/** The part of a candidate that views are made from. */
export function activeTuple(organization: string, installation: string, document: Buffer): ActiveTuple {
  const { value } = candidateDocument.parse(document);
  return {
    organization,
    installation,
    appReleaseDigest: value.app_release_digest,
    dependencyReleaseDigests: value.dependencies.map((dependency) => dependency.app_release_digest),
    grants: value.grants.map(({ workload_id: workloadId, capabilities }) => ({ workloadId, capabilities })),
  };
}
