import type { LegacyRemainder, LegacyWorld } from '@connector/catalog/contract/legacy-packs';
import { type DeletionFacts, type PassedGate, passDeletionGates, readEvidence } from '@connector/catalog/model/conversion/deletion-gates';
import { CRM_APP_ID, type SignedStatement } from '@connector/catalog/model/conversion/mapping';
import { storedManifest } from '@connector/catalog/model/stored-manifest';
import type { RequestKey } from '@connector/catalog/model/request';
import { type Conversion, isDeletionDecided, readConversion, readLegacyReaders } from '@connector/catalog/reads/conversion';
import { readInstallation } from '@connector/catalog/reads/installation';
import { readReleaseBytes } from '@connector/catalog/reads/release-bytes';
import { readRetained } from '@connector/catalog/reads/retained';
import { type DecidedDeletion, decideDeletion } from '@connector/catalog/transitions/conversion/delete-legacy-pack.tx';
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

/** Decides where all gates are passed, and deletes; a decision that stands is only carried out. */
export async function deletePack(
  parts: ConversionParts,
  organization: string,
  evidence: readonly SignedStatement[],
  request: RequestKey,
): Promise<DeletedPack> {
  const { db } = parts.preparation;
  if (!(await isDeletionDecided(db, organization))) {
    const judged = await judgeDeletion(parts, organization, evidence);
    if (judged.kind !== 'passed') return judged as Exclude<typeof judged, { readonly kind: 'passed' }> & DeletedPack;
    const entry = { gates: judged.gates.map(({ gate }) => gate), evidence: evidence.map(({ statement }) => statement.toString('utf8')) };
    const decided = await retrying(ANSWER_SOON, () => decideDeletion(db, { organization, appId: CRM_APP_ID, entry }, request));
    if (decided.kind === 'readers-left') return decided;
  }
  const conversion = await readConversion(db, organization);
  if (conversion === undefined || parts.legacy === undefined) return { kind: 'not-converted' };
  return carriedOut(parts.legacy, conversion);
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
