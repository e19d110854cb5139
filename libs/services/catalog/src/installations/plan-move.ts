import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { Attempt } from '@connector/catalog/model/installation/attempt';
import { type CandidateKind, STATE_OF } from '@connector/catalog/model/installation/candidate-kind';
import type { ExpectedBasis } from '@connector/catalog/model/installation/gathered';
import { CANDIDATE_STATES, type InstallationState, mayMove } from '@connector/catalog/model/installation/installation';
import type { PublicationStep } from '@connector/catalog/model/installation/publication';
import { type Gate, readGates } from '@connector/catalog/reads/gates';
import { type Installation, readChosenFor, readInstallation } from '@connector/catalog/reads/installation';
import { readSeenOrganization } from '@connector/catalog/reads/organization';
import { readCatalogRevision, readFrozen, readOpenPublication, readStepsDone } from '@connector/catalog/reads/publication';
import type { Digest } from '@connector/kernel/digest';
import { answered, type PreparationParts } from './gather';
import { type PlannedInstallation, planInstallation } from './plan';
import type { PublicationParts } from './publication-parts';
import { askedIn } from './standing';

export interface Place {
  readonly organization: string;
  readonly installation: string;
}

/** As it stands: what the act that is planned has to find again. */
interface AsItStands {
  readonly appId: string;
  readonly state: InstallationState;
  readonly activationEpoch: bigint;
  readonly attempt: bigint;
  readonly activeReleaseDigest: Digest | null;
}
type Refused = { readonly kind: 'no-installation' } | { readonly kind: 'transition-not-allowed'; readonly state: InstallationState };

export type PlannedChange =
  | (AsItStands & Extract<PlannedInstallation, { readonly kind: 'prepared' }>)
  | Exclude<PlannedInstallation, { readonly kind: 'prepared' | 'live-installation-exists' }>
  | { readonly kind: 'same-release' | 'not-a-prior-release' }
  | Refused;
export type PlannedRemoval =
  /** `gates`: what has to be RETIRED before it is REMOVED. */
  | (AsItStands & ExpectedBasis & { readonly kind: 'prepared'; readonly gates: readonly Gate[] })
  | ({ readonly kind: 'publication-open' } & Attempt)
  | { readonly kind: 'dependents-live'; readonly installations: readonly string[] }
  | Refused;
export type PlannedAbandonment =
  | (AsItStands & { readonly kind: 'prepared'; readonly candidateKind: CandidateKind; readonly stepsDone: readonly PublicationStep[] })
  /** This attempt takes it back; nothing is left to be given up. */
  | ({ readonly kind: 'already-given-up' } & Attempt)
  | Refused;

type Standing = Extract<Installation, { readonly kind: 'found' }>;
const asItStands = ({ appId, state, activationEpoch, attempt, activeReleaseDigest }: Standing): AsItStands => ({
  ...{ appId, state, activationEpoch, attempt, activeReleaseDigest },
});

/** What an upgrade would do, or everything that would refuse it; nothing is written. The door judges again, under what is told here. */
export async function planUpgrade(
  parts: PreparationParts,
  place: Place,
  choices: Omit<AskedInstallation, 'appId'>,
): Promise<PlannedChange> {
  const standing = await standingFor(parts, place, 'UPGRADING');
  return 'refused' in standing ? standing.refused : planChange(parts, standing, 'upgrade', { ...choices, appId: standing.appId });
}

/** The same of a rollback, with what was chosen when the release was last ACTIVE here. */
export async function planRollback(parts: PreparationParts, place: Place, release: Digest): Promise<PlannedChange> {
  const standing = await standingFor(parts, place, 'ROLLING_BACK');
  if ('refused' in standing) return standing.refused;
  const chosen = await readChosenFor(parts.db, place.organization, place.installation, release);
  return chosen === undefined ? { kind: 'not-a-prior-release' } : planChange(parts, standing, 'rollback', askedIn(chosen));
}

async function planChange(
  parts: PreparationParts,
  standing: Standing,
  kind: 'upgrade' | 'rollback',
  asked: AskedInstallation,
): Promise<PlannedChange> {
  const same = standing.activeReleaseDigest === asked.appReleaseDigest;
  if (same && (kind === 'upgrade' || standing.state === 'ACTIVE')) return { kind: 'same-release' };
  const planned = await planInstallation(parts, standing.organization, asked, standing.installation);
  if (planned.kind === 'prepared') return { ...asItStands(standing), ...planned };
  // One App lives once in an organization, and this is where it does.
  return planned.kind === 'live-installation-exists' ? { kind: 'no-installation' } : planned;
}

/** Who would be left without it, and what it would wait for. No release is checked: what is bad must be removable. */
export async function planRemoval(parts: PublicationParts, place: Place): Promise<PlannedRemoval> {
  const { organization, installation } = place;
  const standing = await standingFor(parts, place, STATE_OF.removal);
  if ('refused' in standing) return standing.refused;
  const catalogRevision = await readCatalogRevision(parts.db, organization);
  const { securityEpoch } = answered('security', await parts.security.readHead(organization));
  const open = await readOpenPublication(parts.db, organization);
  if (open !== undefined) return { kind: 'publication-open', ...open };
  const { resolved } = await readSeenOrganization(parts.db, organization);
  const dependents = resolved.filter(({ appId }) => appId === standing.appId).map((one) => one.installation);
  if (dependents.length > 0) return { kind: 'dependents-live', installations: dependents };
  const gates = await readGates(parts.db, organization, installation);
  return { kind: 'prepared', ...asItStands(standing), catalogRevision, securityEpoch, gates };
}

/** Of the candidate that waits: how far it came, which decides what has to be taken back. */
export async function planAbandonment({ db }: PublicationParts, place: Place): Promise<PlannedAbandonment> {
  const { organization, installation } = place;
  const standing = await readInstallation(db, organization, installation);
  if (standing.kind === 'absent') return { kind: 'no-installation' };
  const at = { organization, installation, attempt: standing.attempt };
  const waits = CANDIDATE_STATES.some((state) => state === standing.state);
  const frozen = waits ? await readFrozen(db, at) : undefined;
  if (frozen === undefined) return { kind: 'transition-not-allowed', state: standing.state };
  if (frozen.kind === 'abandonment') return { kind: 'already-given-up', installation, attempt: standing.attempt };
  return { kind: 'prepared', ...asItStands(standing), candidateKind: frozen.kind, stepsDone: await readStepsDone(db, at) };
}

async function standingFor(
  { db }: PublicationParts,
  { organization, installation }: Place,
  to: InstallationState,
): Promise<Standing | { readonly refused: Refused }> {
  const standing = await readInstallation(db, organization, installation);
  if (standing.kind === 'absent') return { refused: { kind: 'no-installation' } };
  const { state, failedFrom, lastActiveReleaseDigest } = standing;
  if (mayMove({ state, failedFrom, everActive: lastActiveReleaseDigest !== null }, to)) return standing;
  return { refused: { kind: 'transition-not-allowed', state } };
}
