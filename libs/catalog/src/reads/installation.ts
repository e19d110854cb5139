import { name, nullable, u64, word } from '@connector/kernel/column';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import {
  catBinding,
  catBindingState,
  catCandidate,
  catInstallation,
  catInstallationIdentity,
  catPublicationStep,
} from '@connector/schema/catalog/installations';
import { isReleaseKind, type ReleaseKind } from '../model/installation/candidate-kind';
import type { BindingState } from '../model/installation/binding';
import { bindingMachine } from '../model/installation/binding';
import { type Candidate, candidateDocument } from '../model/installation/candidate';
import { installationMachine, type InstallationState } from '../model/installation/installation';
import { type InstallationTuple, tupleDocument } from '../model/installation/tuple';

const STATE = catInstallation.columns;
const BINDING = catBinding.columns;
/** A row is of the installation, or of one of its bindings. */
const AGGREGATE = readQuery(
  catInstallation,
  {
    app_id: nullable(catInstallationIdentity.columns.app_id),
    state: word<string>(16),
    failed_from: STATE.failed_from,
    attempt: nullable(STATE.attempt),
    active_release_digest: STATE.active_release_digest,
    candidate_release_digest: STATE.candidate_release_digest,
    last_active_release_digest: STATE.last_active_release_digest,
    active_security_epoch: STATE.active_security_epoch,
    active_revision: STATE.active_revision,
    activation_epoch: nullable(STATE.activation_epoch),
    tuple: catPublicationStep.columns.document,
    binding_id: nullable(name(36)),
    capability_id: nullable(BINDING.capability_id),
    handler_ref: BINDING.handler_ref,
    workload_id: BINDING.workload_id,
    artifact_digest: nullable(BINDING.artifact_digest),
    ownership_epoch: nullable(u64()),
  },
  `SELECT n.app_id, i.state, i.failed_from, i.attempt, i.active_release_digest, i.candidate_release_digest, i.last_active_release_digest,
          i.active_security_epoch, i.active_revision, i.activation_epoch, c.document AS tuple, NULL AS binding_id, NULL AS capability_id,
          NULL AS handler_ref, NULL AS workload_id, NULL AS artifact_digest, NULL AS ownership_epoch
     FROM ${catInstallation.name} i
     JOIN ${catInstallationIdentity.name} n ON n.organization_id = i.organization_id AND n.app_installation_id = i.app_installation_id
     LEFT JOIN ${catPublicationStep.name} c ON c.organization_id = i.organization_id AND c.app_installation_id = i.app_installation_id
           AND c.attempt = i.active_attempt AND c.step = 'compiled'
    WHERE i.organization_id = :organization_id AND i.app_installation_id = :app_installation_id
   UNION ALL
   SELECT NULL, s.state, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, b.binding_id, b.capability_id, b.handler_ref, b.workload_id,
          b.artifact_digest, s.ownership_epoch
     FROM ${catBindingState.name} s
     JOIN ${catBinding.name} b ON b.organization_id = s.organization_id AND b.app_installation_id = s.app_installation_id
           AND b.binding_id = s.binding_id
    WHERE s.organization_id = :organization_id AND s.app_installation_id = :app_installation_id AND s.active_capability_id IS NOT NULL`,
);

export interface ActiveBinding {
  readonly bindingId: string;
  readonly capabilityId: string;
  readonly handlerRef: string | null;
  readonly workloadId: string | null;
  readonly artifactDigest: Digest;
  readonly state: BindingState;
  readonly ownershipEpoch: bigint | null;
}

/** The seven things that one installation ties together, as of one moment (cat:INST-03). */
export interface Installation {
  readonly kind: 'found';
  readonly organization: string;
  readonly installation: string;
  readonly appId: string;
  readonly state: InstallationState;
  readonly failedFrom: InstallationState | null;
  readonly attempt: bigint;
  readonly activeReleaseDigest: Digest | null;
  readonly candidateReleaseDigest: Digest | null;
  readonly lastActiveReleaseDigest: Digest | null;
  /** Dependencies, workloads with their grants, namespaces, handlers; null while nothing is published. */
  readonly tuple: InstallationTuple | null;
  readonly bindings: readonly ActiveBinding[];
  readonly activationEpoch: bigint;
  readonly securityEpoch: bigint | null;
  readonly catalogRevision: bigint | null;
}

/** One statement, so from one snapshot. */
export async function readInstallation(
  db: Db,
  organization: string,
  installation: string,
): Promise<Installation | { readonly kind: 'absent' }> {
  const rows = await db.read(AGGREGATE, { organization_id: organization, app_installation_id: installation });
  const row = rows.find(({ app_id: app }) => app !== null);
  if (row === undefined) return { kind: 'absent' };
  const { app_id: appId, attempt, activation_epoch: activationEpoch } = row;
  invariant(
    appId !== null && attempt !== null && activationEpoch !== null,
    'HOUSE:catalog:RowUnreadable',
    'an installation without its columns',
  );
  return {
    kind: 'found',
    organization,
    installation,
    appId,
    state: installationMachine.parse(row.state),
    failedFrom: row.failed_from === null ? null : installationMachine.parse(row.failed_from),
    attempt,
    activeReleaseDigest: row.active_release_digest,
    candidateReleaseDigest: row.candidate_release_digest,
    lastActiveReleaseDigest: row.last_active_release_digest,
    tuple: row.tuple === null ? null : tupleDocument.parse(row.tuple).value,
    bindings: rows.filter((one) => one !== row).map(bindingOf),
    activationEpoch,
    securityEpoch: row.active_security_epoch,
    catalogRevision: row.active_revision,
  };
}

function bindingOf(row: ReturnType<typeof AGGREGATE.decode>): ActiveBinding {
  const { binding_id: bindingId, capability_id: capabilityId, artifact_digest: artifactDigest } = row;
  const whole = bindingId !== null && capabilityId !== null && artifactDigest !== null;
  invariant(whole, 'HOUSE:catalog:RowUnreadable', 'a binding without its columns');
  const { handler_ref: handlerRef, workload_id: workloadId, ownership_epoch: ownershipEpoch } = row;
  return { bindingId, capabilityId, handlerRef, workloadId, artifactDigest, state: bindingMachine.parse(row.state), ownershipEpoch };
}

const OF_INSTALLATION = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const LAST = readRows(
  catCandidate,
  ['kind', 'document'],
  `${OF_INSTALLATION} AND kind <> 'abandonment' ORDER BY attempt DESC LIMIT 1`,
  'last',
);
const CHOSEN = readRows(
  catCandidate,
  ['attempt', 'document'],
  `${OF_INSTALLATION} AND app_release_digest = :app_release_digest AND kind IN ('install', 'upgrade', 'rollback')
   ORDER BY attempt DESC LIMIT 100`,
  'chosen',
);
const PUBLISHED = readRows(catPublicationStep, ['step'], `${OF_INSTALLATION} AND attempt = :attempt AND step = 'published'`, 'published');

export type LastAttempt = { readonly kind: ReleaseKind; readonly candidate: Candidate } | { readonly kind: 'removal' };

/** What the last attempt was for that was opened, and what was chosen for it; undefined where none was. */
export async function readLastAttempt(db: Db, organization: string, installation: string): Promise<LastAttempt | undefined> {
  const row = await db.readOne(LAST, { organization_id: organization, app_installation_id: installation });
  if (row === undefined) return undefined;
  return isReleaseKind(row.kind) ? { kind: row.kind, candidate: candidateDocument.parse(row.document).value } : { kind: 'removal' };
}

/** What was chosen when this release was last made ACTIVE in the installation; undefined where it never was. */
export async function readChosenFor(db: Db, organization: string, installation: string, release: Digest): Promise<Candidate | undefined> {
  const key = { organization_id: organization, app_installation_id: installation };
  for (const { attempt, document } of await db.read(CHOSEN, { ...key, app_release_digest: release })) {
    if ((await db.readOne(PUBLISHED, { ...key, attempt })) !== undefined) return candidateDocument.parse(document).value;
  }
  return undefined;
}
