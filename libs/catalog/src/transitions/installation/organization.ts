import type { Digest } from '@connector/kernel/digest';
import type { DocumentBytes } from '@connector/kernel/document';
import { InputFault } from '@connector/kernel/faults';
import { bytes, digest, name } from '@connector/kernel/column';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCandidate, catInstallation, catNamespaceClaim } from '@connector/schema/catalog/installations';
import { appGrants, type WorkloadGrant } from '@connector/security/contract/projection';
import { type Candidate, candidateDocument } from '../../model/installation/candidate';
import type { ActiveApp } from '../../model/installation/check-dependencies';
import { installationMachine, type InstallationState } from '../../model/installation/installation';
import { eachLiveOnce } from '../../model/installation/live';
import type { NamespaceClaim } from '../../model/installation/namespaces';

/** What Runtime's projection holds (cat:SEC-04). */
const LIVE_MAX = 1000;
const CLAIMS_MAX = 10_000;
const LIVE = readRows(
  catInstallation,
  ['app_installation_id', 'live_app_id', 'state', 'active_release_digest'],
  `WHERE organization_id = :organization_id AND live_app_id IS NOT NULL LIMIT ${LIVE_MAX + 1}`,
  'live',
);
const SERVING = readQuery(
  catCandidate,
  { app_installation_id: name(64), active_release_digest: digest(), document: bytes(1_000_000) },
  `SELECT i.app_installation_id, i.active_release_digest, c.document
     FROM ${catInstallation.name} i
     JOIN ${catCandidate.name} c
       ON c.organization_id = i.organization_id AND c.app_installation_id = i.app_installation_id AND c.attempt = i.active_attempt
    WHERE i.organization_id = :organization_id AND i.live_app_id IS NOT NULL LIMIT ${LIVE_MAX}`,
  'active',
);
const CLAIMS = readRows(
  catNamespaceClaim,
  ['namespace_id', 'app_installation_id', 'attempt'],
  `WHERE organization_id = :organization_id AND open_namespace_id IS NOT NULL LIMIT ${CLAIMS_MAX + 1}`,
  'open',
);

export interface LiveInstallation {
  readonly installation: string;
  readonly appId: string;
  readonly state: InstallationState;
}

interface ServingInstallation {
  readonly installation: string;
  readonly appReleaseDigest: Digest;
  readonly candidate: Candidate;
}

const full = (what: string): InputFault => new InputFault('HOUSE:catalog:OrganizationFull', `${what} of one organization`);

/** What lives in an organization; its lineage row holds all of it still. */
export interface Organization {
  readonly live: readonly LiveInstallation[];
  readonly serving: readonly ServingInstallation[];
  readonly claims: readonly (NamespaceClaim & { readonly attempt: bigint })[];
}

/**
 * Whether an installation and its claims may come to what lives: with one more than these nobody could read the organization again, not even to
 * remove what is too much. InputFault `HOUSE:catalog:OrganizationFull`.
 */
export function roomFor({ live, claims }: Organization, come: { readonly live: number; readonly claims: number }): void {
  if (live.length + come.live > LIVE_MAX) throw full(`at most ${LIVE_MAX} installations`);
  if (claims.length + come.claims > CLAIMS_MAX) throw full(`at most ${CLAIMS_MAX} namespaces`);
}

/** The caller holds the lineage. InputFault `HOUSE:catalog:OrganizationFull` where more than 1,000 installations live. */
export async function readOrganization(tx: FencedTx, organization: string): Promise<Organization> {
  const key = { organization_id: organization };
  const live = await tx.read(LIVE, key);
  if (live.length > LIVE_MAX) throw full(`at most ${LIVE_MAX} installations`);
  const serving = await tx.read(SERVING, key);
  return {
    live: eachLiveOnce(live.map(liveOf)),
    serving: serving.map((row) => ({
      installation: row.app_installation_id,
      appReleaseDigest: row.active_release_digest,
      candidate: candidateDocument.parse(row.document).value,
    })),
    claims: await readClaims(tx, organization),
  };
}

const liveOf = ({ app_installation_id: installation, live_app_id: appId, state }: ReturnType<typeof LIVE.decode>): LiveInstallation => ({
  installation,
  appId: appId ?? '',
  state: installationMachine.parse(state),
});

/** Every open claim of the organization: two different names can overlap, so all of them are asked (cat:A-16). */
export async function readClaims(tx: FencedTx, organization: string): Promise<Organization['claims']> {
  const rows = await tx.read(CLAIMS, { organization_id: organization });
  if (rows.length > CLAIMS_MAX) throw full(`at most ${CLAIMS_MAX} namespaces`);
  return rows.map((row) => ({ namespaceId: row.namespace_id, installation: row.app_installation_id, attempt: row.attempt }));
}

export function activeApps({ serving }: Organization): readonly ActiveApp[] {
  return serving.map(({ appReleaseDigest, candidate }) => ({
    appId: candidate.app_id,
    appReleaseDigest,
    dependsOn: candidate.dependencies.map(({ app_id: appId }) => appId),
  }));
}

/** What serves of everybody but this installation. */
export function servingBeside({ serving }: Organization, besides: string): readonly Candidate[] {
  return serving.filter(({ installation }) => installation !== besides).map(({ candidate }) => candidate);
}

/** Live installations whose ACTIVE tuple has this App among its resolved dependencies, with the release that they are pinned to (cat:A-36). */
export function dependentsOf(
  { serving }: Organization,
  appId: string,
): readonly { readonly installation: string; readonly pinned: Digest }[] {
  return serving.flatMap(({ installation, candidate }) =>
    candidate.dependencies
      .filter(({ app_id: dependency }) => dependency === appId)
      .map(({ app_release_digest: pinned }) => ({ installation, pinned })),
  );
}

/**
 * What Runtime shall grant in the whole organization once these serve, and nothing else. Of an attempt that failed nothing is left in it
 * (cat:PUBL-11).
 */
export function grantsOf(organization: string, candidates: readonly Candidate[]): DocumentBytes {
  const entry = ({ app_installation_id, app_release_digest, grants }: Candidate) => ({
    app_installation_id,
    app_release_digest,
    grants: [...grants] as readonly WorkloadGrant[],
  });
  return appGrants.build({
    schema_version: 'nexuscrm.runtime-app-grants/v1',
    organization_id: organization,
    installations: candidates.map(entry),
  });
}
