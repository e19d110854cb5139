import { mintUuid7 } from '@connector/kernel/ids';
import { u64 } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCandidate, catPublicationStep } from '@connector/schema/catalog/installations';
import { lockInstallation, type LockedInstallation } from '../../fences/installation';
import type { LockedLineage } from '../../fences/lineage';
import type { Attempt } from '../../model/installation/attempt';
import { STATE_OF } from '../../model/installation/candidate-kind';
import type { ExistingPlace, OpenPublication } from '../../model/installation/gathered';
import { installationMachine, type InstallationState, mayMove } from '../../model/installation/installation';
import type { Organization } from './organization';

/** Where an attempt stands: the row is locked, or there is none yet. */
export interface Place extends Attempt {
  readonly kind: 'place';
  readonly row: LockedInstallation | undefined;
}

export type NotPlaced =
  /** Another publication of the organization has to end first. */
  | ({ readonly kind: 'publication-open' } & Attempt)
  | { readonly kind: 'live-installation-exists'; readonly installation: string }
  | { readonly kind: 'other-app'; readonly appId: string }
  /** An upgrade to what is ACTIVE. */
  | { readonly kind: 'same-release' }
  /** A rollback to what was never ACTIVE in this installation. */
  | { readonly kind: 'not-a-prior-release' }
  | NotStanding;

/** The installation is not as the asker saw it, or may not go there from where it is. */
export type NotStanding =
  | { readonly kind: 'no-installation' }
  | { readonly kind: 'state-moved' | 'transition-not-allowed'; readonly state: InstallationState }
  | { readonly kind: 'activation-epoch-moved'; readonly activationEpoch: bigint };

const PRIOR = readQuery(
  catCandidate,
  { attempt: u64() },
  `SELECT c.attempt
     FROM ${catCandidate.name} c
     JOIN ${catPublicationStep.name} s ON s.organization_id = c.organization_id AND s.app_installation_id = c.app_installation_id
          AND s.attempt = c.attempt AND s.step = 'published'
    WHERE c.organization_id = :organization_id AND c.app_installation_id = :app_installation_id
      AND c.app_release_digest = :app_release_digest AND c.kind IN ('install', 'upgrade', 'rollback') LIMIT 1`,
  'prior',
);

export function newPlace(lineage: LockedLineage, { live }: Organization, { asked }: OpenPublication): Place | NotPlaced {
  const standing = live.find(({ appId }) => appId === asked.appId);
  if (standing !== undefined) return { kind: 'live-installation-exists', installation: standing.installation };
  if (lineage.open !== null) return { kind: 'publication-open', ...lineage.open };
  return { kind: 'place', installation: mintUuid7(lineage.now), attempt: 1n, row: undefined };
}

export async function existingPlace(
  tx: FencedTx,
  lineage: LockedLineage,
  { live }: Organization,
  input: OpenPublication,
  existing: ExistingPlace,
): Promise<Place | NotPlaced> {
  const { installation, kind } = existing;
  const row = await lockStanding(tx, input.organization, existing, STATE_OF[kind]);
  if ('kind' in row) return row;
  const appId = live.find((one) => one.installation === installation)?.appId ?? '';
  if (appId !== input.asked.appId) return { kind: 'other-app', appId };
  if (lineage.open !== null) return { kind: 'publication-open', ...lineage.open };
  const refused = await releaseRefused(tx, row, input, existing);
  return refused ?? { kind: 'place', installation, attempt: row.attempt + 1n, row };
}

/** The locked row, where it is as the asker saw it and may go to this state from there (cat:A-29). */
export async function lockStanding(
  tx: FencedTx,
  organization: string,
  seen: Pick<ExistingPlace, 'installation' | 'state' | 'activationEpoch'>,
  to: InstallationState,
): Promise<LockedInstallation | NotStanding> {
  const row = await lockInstallation(tx, organization, seen.installation);
  if (row === undefined) return { kind: 'no-installation' };
  const state = installationMachine.parse(row.state);
  if (state !== seen.state) return { kind: 'state-moved', state };
  const failedFrom = row.failed_from === null ? null : installationMachine.parse(row.failed_from);
  const everActive = row.last_active_release_digest !== null;
  if (!mayMove({ state, failedFrom, everActive }, to)) return { kind: 'transition-not-allowed', state };
  if (row.activation_epoch !== seen.activationEpoch) return { kind: 'activation-epoch-moved', activationEpoch: row.activation_epoch };
  return row;
}

/**
 * A rollback goes to what was ACTIVE here before; anything else is an upgrade, whatever its version. From FAILED it may go to what serves: that is
 * prior to the candidate that failed, and the one way back to ACTIVE without it (cat:INST-T06).
 */
async function releaseRefused(
  tx: FencedTx,
  row: LockedInstallation,
  { organization, asked }: OpenPublication,
  { installation, kind }: ExistingPlace,
): Promise<NotPlaced | undefined> {
  const same = row.active_release_digest === asked.appReleaseDigest;
  if (same && (kind === 'upgrade' || row.state === 'ACTIVE')) return { kind: 'same-release' };
  if (kind !== 'rollback') return undefined;
  const key = { organization_id: organization, app_installation_id: installation };
  const prior = await tx.read(PRIOR, { ...key, app_release_digest: asked.appReleaseDigest });
  return prior.length > 0 ? undefined : { kind: 'not-a-prior-release' };
}
