import { type ArtifactRegistry, BLOBS_AT_ONCE_MAX } from '@connector/catalog/contract/artifact-registry';
import type { DeploymentResolver } from '@connector/catalog/contract/deployment-resolver';
import type { FrontendReleaseAnswer } from '@connector/catalog/model/installation/deployment';
import { type AskedInstallation, failed, type PlatformOffers } from '@connector/catalog/model/installation/asked';
import { FRONTEND } from '@connector/catalog/model/installation/binding';
import {
  attestationFor,
  frontendFaults,
  handlerFaults,
  type ServiceAttestation,
} from '@connector/catalog/model/installation/check-bindings';
import { compatibilityFaults } from '@connector/catalog/model/installation/check-compatibility';
import { type NamedRelease, resolutionFaults } from '@connector/catalog/model/installation/check-dependencies';
import { grantFaults, workloadFaults } from '@connector/catalog/model/installation/check-grants';
import type { Gathered, RegisteredRelease } from '@connector/catalog/model/installation/gathered';
import type { AppManifest } from '@connector/catalog/model/manifest';
import { type AppRelease, openRelease } from '@connector/catalog/model/release';
import { appReleaseDigest } from '@connector/catalog/model/release-digests';
import { storedBundle, storedManifest } from '@connector/catalog/model/stored-manifest';
import { readCatalogRevision } from '@connector/catalog/reads/publication';
import { readComponentOwners, readReleaseBytes, type ReleaseBytes } from '@connector/catalog/reads/release-bytes';
import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { jcs } from '@connector/kernel/jcs';
import type { Db } from '@connector/platform/db/db';
import { type Owner, OwnerSilentFault } from '../owner-silent';
import { needsOf, type PublicationParts } from './publication-parts';

/** What a preparation asks beside what a publication is carried by. */
export interface PreparationParts extends PublicationParts {
  readonly artifacts: ArtifactRegistry;
  readonly deployment: DeploymentResolver;
  readonly offers: PlatformOffers;
}

export interface GatheredPreparation {
  readonly kind: 'gathered';
  readonly release: RegisteredRelease;
  readonly gathered: Gathered;
}
export type GatheredFacts = GatheredPreparation | { readonly kind: 'release-absent' };

/**
 * Everything that a preparation needs and no lock can hold still: what is registered for good, and what other owners say. Every check is made,
 * whatever the others find (decisions 12.11). The revision is read first: who finds it moved asks again (cat:PUBL-01). RetryableFault
 * `HOUSE:catalog:OwnerUnavailable` where an owner does not answer: nothing is known then, and nothing was written.
 */
export async function gather(parts: PreparationParts, organization: string, asked: AskedInstallation): Promise<GatheredFacts> {
  const stored = await readReleaseBytes(parts.db, asked.appId, asked.appReleaseDigest);
  if (stored === undefined) return { kind: 'release-absent' };
  const release = { appId: asked.appId, releaseDigest: asked.appReleaseDigest, publisherId: stored.publisherId };
  return { kind: 'gathered', release, gathered: await factsOf(parts, organization, asked, stored) };
}

async function factsOf(parts: PreparationParts, organization: string, asked: AskedInstallation, stored: ReleaseBytes): Promise<Gathered> {
  const catalogRevision = await readCatalogRevision(parts.db, organization);
  const security = answered('security', await parts.security.readHead(organization));
  const basis = { catalogRevision, security, dependencyApps: new Map<string, string>(), receipts: new Map<string, Buffer>() };
  const verified = await verifyRelease(parts.artifacts, asked, stored);
  if (verified.kind === 'faulty') return { ...basis, faults: verified.faults, manifest: undefined, schemaGeneration: null };
  const { manifest, bundle } = verified.release;
  const named = await namedReleases(parts.db, asked, verified.release);
  const needs = needsOf(bundle);
  const schema = answered('schema', await parts.schema.ready({ organization, appReleaseDigest: asked.appReleaseDigest, needs }));
  const deployed = await deployedFaults(parts, asked, manifest);
  const faults = [
    ...resolutionFaults(asked, manifest, bundle, named),
    ...(await ownerFaults(parts.db, asked, verified.release)),
    ...compatibilityFaults(manifest, parts.offers),
    ...(schema.kind === 'ready' ? [] : schema.missing.map(({ componentKind, formatVersion }) => unserved(componentKind, formatVersion))),
    ...grantFaults(asked, manifest, parts.offers),
    ...deployed.faults,
  ];
  return {
    ...basis,
    faults,
    manifest,
    schemaGeneration: schema.kind === 'ready' ? schema.schemaGeneration : null,
    dependencyApps: new Map(manifest.dependencies.map(({ alias, app_id: appId }) => [alias, appId])),
    receipts: deployed.receipts,
  };
}

export function answered<A extends { readonly kind: string }>(
  owner: Owner,
  answer: A | undefined,
): Exclude<A, { readonly kind: 'unavailable' }> {
  if (answer !== undefined && isAnswer(answer)) return answer;
  throw new OwnerSilentFault(owner);
}

function isAnswer<A extends { readonly kind: string }>(answer: A): answer is Exclude<A, { readonly kind: 'unavailable' }> {
  return answer.kind !== 'unavailable';
}

const unserved = (kind: string, format: number): DocumentFault =>
  failed('PREP-07', '/app_release_digest', 'SCHEMA_NOT_READY', `${kind} in format ${format} served`, 'not served');

type Verified =
  { readonly kind: 'release'; readonly release: AppRelease } | { readonly kind: 'faulty'; readonly faults: readonly DocumentFault[] };

/** cat:PREP-02: root, bundle and every blob, hashed again from what the registries hold now. */
export async function verifyRelease(
  artifacts: ArtifactRegistry,
  asked: Pick<AskedInstallation, 'appReleaseDigest'>,
  { manifest, bundle }: ReleaseBytes,
): Promise<Verified> {
  const opened = openRelease({ manifest, bundle });
  const blobs = await blobsOf(artifacts, opened.needed);
  const checked = opened.check((digest) => blobs.get(digest));
  const at = '/app_release_digest';
  if (checked.kind === 'faulty') {
    const faults = checked.faults.map(({ code, expected, found }) => failed('PREP-02', at, code, expected, found));
    return { kind: 'faulty', faults };
  }
  const { releaseDigest } = checked.release;
  if (releaseDigest === asked.appReleaseDigest) return checked;
  return { kind: 'faulty', faults: [failed('PREP-02', at, 'DIGEST_MISMATCH', asked.appReleaseDigest, releaseDigest)] };
}

/** A blob that is not what its digest says is as good as absent: `checkRelease` says which one it misses. */
async function blobsOf(artifacts: ArtifactRegistry, digests: readonly Digest[]): Promise<ReadonlyMap<Digest, Buffer>> {
  const blobs = new Map<Digest, Buffer>();
  for (let at = 0; at < digests.length; at += BLOBS_AT_ONCE_MAX) {
    const some = digests.slice(at, at + BLOBS_AT_ONCE_MAX);
    const answers = await artifacts.get(some);
    for (const [index, digest] of some.entries()) {
      const answer = answered('artifacts', answers[index]);
      if (answer.kind === 'found') blobs.set(digest, answer.bytes);
    }
  }
  return blobs;
}

/** The registered releases that were named for the declared aliases; one whose bytes are not of its digest is as good as absent. */
async function namedReleases(db: Db, asked: AskedInstallation, { manifest, bundle }: AppRelease): Promise<readonly NamedRelease[]> {
  const referred = new Set(bundle.components.flatMap((one) => one.external_component_refs.map((ref) => ref.dependency_alias as string)));
  const named: NamedRelease[] = [];
  for (const { alias, appReleaseDigest: digest } of asked.dependencies) {
    const declared = manifest.dependencies.find((dependency) => dependency.alias === alias);
    const stored = declared && (await readReleaseBytes(db, declared.app_id, digest));
    if (stored === undefined || appReleaseDigest(stored.manifest) !== digest) continue;
    const ids = referred.has(alias) ? storedBundle(stored.bundle).components.map((one) => one.component_id) : undefined;
    named.push({ alias, manifest: storedManifest(stored.manifest), componentIds: ids && new Set(ids) });
  }
  return named;
}

/** cat:PREP-05 */
async function ownerFaults(db: Db, asked: AskedInstallation, { bundle }: AppRelease): Promise<readonly DocumentFault[]> {
  const components = bundle.components.map(({ component_id: component }) => component);
  const owners = await readComponentOwners(db, components);
  return components
    .filter((component) => owners.get(component) !== asked.appId)
    .map((component) =>
      failed(
        'PREP-05',
        '/app_release_digest',
        'COMPONENT_OWNED',
        `${component} owned by ${asked.appId}`,
        owners.get(component) ?? 'nobody',
      ),
    );
}

interface Deployed {
  readonly faults: readonly DocumentFault[];
  readonly receipts: ReadonlyMap<string, Buffer>;
}

/** cat:PREP-08, PREP-10 and PREP-11: what only the deployment knows. What it attested is kept with each binding (cat:BIND-02). */
async function deployedFaults({ deployment }: PreparationParts, asked: AskedInstallation, manifest: AppManifest): Promise<Deployed> {
  const workloads = new Set([...asked.grants, ...asked.handlerBindings].map(({ workloadId }) => workloadId));
  const known = new Set<string>();
  for (const workload of workloads) {
    if (answered('deployment', await deployment.workload(workload)).kind === 'known') known.add(workload);
  }
  const attestations: ServiceAttestation[] = [];
  for (const { workloadId, serviceReleaseDigest } of asked.handlerBindings) {
    const answer = answered('deployment', await deployment.serviceRelease(workloadId, serviceReleaseDigest));
    attestations.push({ workloadId, serviceReleaseDigest, answer });
  }
  const frontend = await frontendAnswer(deployment, asked);
  return {
    faults: [
      ...workloadFaults(asked, known),
      ...handlerFaults(asked, manifest, attestations),
      ...frontendFaults(asked, manifest, frontend),
    ],
    receipts: receiptsOf(asked, attestations, frontend),
  };
}

async function frontendAnswer(
  deployment: DeploymentResolver,
  { frontendReleaseDigest: digest }: AskedInstallation,
): Promise<FrontendReleaseAnswer> {
  return digest === null ? { kind: 'unknown' } : answered('deployment', await deployment.frontendRelease(digest));
}

function receiptsOf(
  asked: AskedInstallation,
  attestations: readonly ServiceAttestation[],
  frontend: FrontendReleaseAnswer,
): ReadonlyMap<string, Buffer> {
  const receipts = new Map<string, Buffer>();
  for (const binding of asked.handlerBindings) {
    const answer = attestationFor(attestations, binding);
    if (answer.kind !== 'attested') continue;
    const handlers = answer.handlers.map(({ handlerRef, protocolMinor }) => ({ handler_ref: handlerRef, protocol_minor: protocolMinor }));
    receipts.set(binding.capabilityId, jcs({ handlers }));
  }
  if (frontend.kind === 'attested') {
    const text = ({ protocolId, major, minor }: typeof frontend.hostSdk) => ({ protocol_id: protocolId, major, minor });
    receipts.set(FRONTEND, jcs({ host_sdk: text(frontend.hostSdk), contribution_schema: text(frontend.contributionSchema) }));
  }
  return receipts;
}
