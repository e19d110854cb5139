import type { LegacyRemainder, LegacyWorld } from '@connector/catalog/contract/legacy-packs';
import { type DeletionFacts, type PassedGate, passDeletionGates, readEvidence } from '@connector/catalog/model/conversion/deletion-gates';
import { CRM_APP_ID, type SignedStatement } from '@connector/catalog/model/conversion/mapping';
import { storedManifest } from '@connector/catalog/model/stored-manifest';
import type { RequestKey } from '@connector/catalog/model/request';
import { type Conversion, isDeletionDecided, readConversion, readLegacyReaders } from '@connector/catalog/reads/conversion';
import { readInstallation } from '@connector/catalog/reads/installation';
import { readCatalogRevision } from '@connector/catalog/reads/publication';
import { readReleaseBytes } from '@connector/catalog/reads/release-bytes';
import { readRetained } from '@connector/catalog/reads/retained';
import { type DecidedDeletion, decideDeletion } from '@connector/catalog/transitions/conversion/delete-legacy-pack.tx';
import { RetryableFault } from '@connector/kernel/faults';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { answered, type PreparationParts, verifyRelease } from '../installations/gather';
import type { ConversionParts, NoLegacyWorld } from './convert';

export type JudgedDeletion =
  | { readonly kind: 'passed' | 'closed'; readonly gates: readonly PassedGate[] }
  /** The evidence at this place is not signed by the authority, or is about something else. */
  | { readonly kind: 'evidence-refused'; readonly at: number }
  | { readonly kind: 'not-converted' }
  | NoLegacyWorld;
export type DeletedPack =
  | { readonly kind: 'deleted' }
  /** Decided, and not at its end: what the legacy world still has. The same asking goes on. */
  | { readonly kind: 'remains'; readonly remains: readonly LegacyRemainder[] }
  | Exclude<JudgedDeletion, { readonly kind: 'passed' | 'closed' }>
  | { readonly kind: 'closed'; readonly gates: readonly PassedGate[] }
  | Extract<DecidedDeletion, { readonly kind: 'readers-left' }>;

/** All seven gates over what is there now, each with what it misses. Nothing is written. */
export async function judgeDeletion(
  { preparation: parts, legacy }: ConversionParts,
  organization: string,
  evidence: readonly SignedStatement[],
): Promise<JudgedDeletion> {
  if (legacy === undefined) return { kind: 'no-legacy-world' };
  const conversion = await readConversion(parts.db, organization);
  if (conversion === undefined) return { kind: 'not-converted' };
  const read = readEvidence(evidence, legacy.trustAuthority, conversion.key);
  if (read.kind === 'refused') return { kind: 'evidence-refused', at: read.at };
  return passDeletionGates({ ...(await factsOf(parts, conversion)), evidence: read.evidence });
}

const TRIES_MAX = 5;

/**
 * Decides where all gates are passed, and deletes; a decision that stands is only carried out. The gates are judged again where the organization
 * moved before the decision. RetryableFault where an owner does not answer.
 */
export async function deletePack(
  parts: ConversionParts,
  organization: string,
  evidence: readonly SignedStatement[],
  request: RequestKey,
): Promise<DeletedPack> {
  const { preparation, legacy } = parts;
  if (legacy === undefined) return { kind: 'no-legacy-world' };
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const refused = (await isDeletionDecided(preparation.db, organization))
      ? undefined
      : await decide(parts, organization, evidence, request);
    if (refused?.kind === 'judged-past') continue;
    if (refused !== undefined) return refused;
    const conversion = await readConversion(preparation.db, organization);
    return conversion === undefined ? { kind: 'not-converted' } : carriedOut(legacy, conversion);
  }
  throw new RetryableFault('HOUSE:catalog:DeletionRaced', 'the organization kept moving while its gates were judged');
}

/** Why nothing is decided; undefined where it is. */
async function decide(
  parts: ConversionParts,
  organization: string,
  evidence: readonly SignedStatement[],
  request: RequestKey,
): Promise<DeletedPack | Extract<DecidedDeletion, { readonly kind: 'judged-past' }> | undefined> {
  const { db } = parts.preparation;
  // Before what is judged over it: whatever moves from here on is found under the lineage.
  const catalogRevision = await readCatalogRevision(db, organization);
  const judged = await judgeDeletion(parts, organization, evidence);
  if (judged.kind !== 'passed') return judged as Exclude<typeof judged, { readonly kind: 'passed' }> & DeletedPack;
  const entry = { gates: judged.gates.map(({ gate }) => gate), evidence: evidence.map(({ statement }) => statement.toString('utf8')) };
  const decision = { organization, appId: CRM_APP_ID, catalogRevision, entry };
  const decided = await retrying(ANSWER_SOON, () => decideDeletion(db, decision, request));
  return decided.kind === 'readers-left' || decided.kind === 'judged-past' ? decided : undefined;
}

async function carriedOut({ packs }: LegacyWorld, { key, attemptId }: Conversion): Promise<DeletedPack> {
  // Whoever converted may have died before it sealed.
  answered('legacy', await packs.seal(key, attemptId));
  const { remains } = answered('legacy', await packs.delete(key, attemptId));
  return remains.length === 0 ? { kind: 'deleted' } : { kind: 'remains', remains };
}

async function factsOf(parts: PreparationParts, { key, installation, entry }: Conversion): Promise<Omit<DeletionFacts, 'evidence'>> {
  const { db, artifacts } = parts;
  const { organization, appReleaseDigest } = key;
  const stored = await readReleaseBytes(db, CRM_APP_ID, appReleaseDigest);
  const verified = stored && (await verifyRelease(artifacts, { appReleaseDigest }, stored));
  const ledger = await readLegacyReaders(db, organization);
  return {
    key,
    releaseFaults: verified?.kind === 'faulty' ? verified.faults.map(({ code, found }) => `${code} ${found}`) : [],
    capabilities: entry.mapping.capabilities,
    served: await servedBy(parts, organization, installation),
    openReaders: ledger.filter(({ open }) => open).map(({ reader }) => reader),
    retained: await readRetained(db, organization, installation),
  };
}

/** What the release that is ACTIVE provides. */
async function servedBy({ db }: PreparationParts, organization: string, installation: string): Promise<readonly string[]> {
  const found = await readInstallation(db, organization, installation);
  if (found.kind === 'absent' || found.activeReleaseDigest === null) return [];
  const release = await readReleaseBytes(db, found.appId, found.activeReleaseDigest);
  return release === undefined
    ? []
    : storedManifest(release.manifest).provided_capabilities.map(({ capability_id: capability }) => capability);
}
