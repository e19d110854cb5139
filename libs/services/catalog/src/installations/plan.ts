import { type AskedInstallation, failed } from '@connector/catalog/model/installation/asked';
import type { Attempt } from '@connector/catalog/model/installation/attempt';
import { activeFaults } from '@connector/catalog/model/installation/check-dependencies';
import { readerFaults } from '@connector/catalog/model/installation/check-readers';
import { trustFaults } from '@connector/catalog/model/installation/check-trust';
import type { ExpectedBasis, Gathered, RegisteredRelease } from '@connector/catalog/model/installation/gathered';
import { overlapFaults } from '@connector/catalog/model/installation/namespaces';
import { AppId } from '@connector/catalog/model/identifier';
import { readOwnerIn } from '@connector/catalog/reads/apps';
import { readOpenReaders } from '@connector/catalog/reads/conversion';
import { readSeenOrganization, type ResolvedTo, type SeenOrganization } from '@connector/catalog/reads/organization';
import { readOpenPublication } from '@connector/catalog/reads/publication';
import { readRelease, readTrust } from '@connector/catalog/reads/releases';
import { type DocumentFault, type DocumentFaults, faultsListed } from '@connector/kernel/document-fault';
import { invariant } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { gather, type GatheredPreparation, type PreparationParts } from './gather';

export type PlannedInstallation =
  | ({
      readonly kind: 'prepared';
      readonly semanticVersion: string;
      readonly schemaGeneration: string;
      /** What it would claim for itself in the organization. */
      readonly namespaces: readonly string[];
      /** Which handler would serve which capability. */
      readonly handlers: readonly { readonly capabilityId: string; readonly handlerRef: string }[];
    } & ExpectedBasis)
  | ({ readonly kind: 'faulty' } & DocumentFaults)
  | { readonly kind: 'live-installation-exists'; readonly installation: string }
  | ({ readonly kind: 'publication-open' } & Attempt)
  | { readonly kind: 'release-absent' };

/**
 * Every check of a preparation without its transaction, and all faults together: what the door would say if nothing moved meanwhile. It judges
 * again, under the revision and the security epoch that are told here.
 */
export async function planInstallation(
  parts: PreparationParts,
  organization: string,
  asked: AskedInstallation,
  /** Whose next attempt it would be; null for a new installation. */
  existing: string | null = null,
): Promise<PlannedInstallation> {
  const facts = await gather(parts, organization, asked);
  return facts.kind === 'gathered' ? judgePreparation(parts, organization, asked, facts, existing) : facts;
}

export async function judgePreparation(
  parts: PreparationParts,
  organization: string,
  asked: AskedInstallation,
  { release, gathered }: GatheredPreparation,
  existing: string | null = null,
): Promise<Exclude<PlannedInstallation, { readonly kind: 'release-absent' }>> {
  const [seen, open] = await Promise.all([readSeenOrganization(parts.db, organization), readOpenPublication(parts.db, organization)]);
  const standing = seen.live.find(({ appId, installation }) => appId === asked.appId && installation !== existing);
  if (standing !== undefined) return { kind: 'live-installation-exists', installation: standing.installation };
  if (open !== undefined) return { kind: 'publication-open', ...open };
  const reading = readerFaults(asked, await readOpenReaders(parts.db, organization, asked.appId));
  const here = [...faultsHere(asked, gathered, seen, existing), ...reading];
  const faults = [...gathered.faults, ...(await untrusted(parts.db, release)), ...here];
  return faults.length > 0 ? { kind: 'faulty', ...faultsListed(faults) } : prepared(gathered);
}

function prepared({
  manifest,
  schemaGeneration,
  catalogRevision,
  security,
}: Gathered): Extract<PlannedInstallation, { readonly kind: 'prepared' }> {
  invariant(manifest !== undefined && schemaGeneration !== null, 'HOUSE:catalog:Unverified', 'no fault, and nothing verified');
  const handlers = manifest.provided_capabilities.flatMap(({ capability_id: capabilityId, handler_ref: handlerRef }) =>
    handlerRef === undefined ? [] : [{ capabilityId, handlerRef }],
  );
  return {
    ...{ kind: 'prepared', catalogRevision, securityEpoch: security.securityEpoch },
    ...{ semanticVersion: manifest.semantic_version, schemaGeneration, namespaces: manifest.owned_namespaces, handlers },
  };
}

function faultsHere(
  asked: AskedInstallation,
  { manifest }: Gathered,
  { active, claims, resolved }: SeenOrganization,
  existing: string | null,
): readonly DocumentFault[] {
  if (manifest === undefined) return [];
  const others = claims.filter(({ installation }) => installation !== existing);
  const pinned = resolved.filter((one) => one.appId === asked.appId && one.pinned !== asked.appReleaseDigest);
  return [...activeFaults(asked, manifest, active), ...overlapFaults(manifest, others), ...pinned.map((one) => keptBy(one, asked))];
}

/** cat:A-36 */
function keptBy({ installation, pinned }: ResolvedTo, { appReleaseDigest }: AskedInstallation): DocumentFault {
  const expected = `${pinned}, as ${installation} is resolved to it`;
  return failed('A-36', '/app_release_digest', 'DEPENDENT_PINNED', expected, appReleaseDigest);
}

/** cat:PREP-01, as the registry stands now. */
async function untrusted(db: Db, { appId, releaseDigest }: RegisteredRelease): Promise<readonly DocumentFault[]> {
  const release = await readRelease(db, AppId.parse(appId), releaseDigest);
  invariant(release !== undefined, 'HOUSE:catalog:RowVanished', 'a registered release is not there');
  const { key, blocked } = await readTrust(db, release);
  const { attestationBytes: statement, signatureBytes: signature, registeredAt, ownershipEpoch } = release;
  const ownerThen = await readOwnerIn(db, release.appId, ownershipEpoch);
  return trustFaults(release, {
    attestation: { statement, signature },
    key,
    registeredAt,
    ownershipEpoch,
    ownerThen,
    blocked: blocked !== undefined,
  });
}
