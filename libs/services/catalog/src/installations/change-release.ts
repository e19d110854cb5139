import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { RequestKey } from '@connector/catalog/model/request';
import { readChosenFor, readInstallation } from '@connector/catalog/reads/installation';
import type { Digest } from '@connector/kernel/digest';
import type { PreparationParts } from './gather';
import { type Installed, prepareInstallation } from './install';
import { askedIn, type SeenInstallation } from './standing';

const placeOf = ({ installation, expectedState: state, expectedActivationEpoch: activationEpoch }: SeenInstallation) => ({
  installation,
  state,
  activationEpoch,
});

/** To another release of the same App, every choice made anew (cat:INST-T03, cat:INST-T16). */
export async function upgradeInstallation(
  parts: PreparationParts,
  seen: SeenInstallation,
  choices: Omit<AskedInstallation, 'appId'>,
  request: RequestKey,
): Promise<Installed> {
  const { organization, installation } = seen;
  const standing = await readInstallation(parts.db, organization, installation);
  if (standing.kind === 'absent') return { kind: 'no-installation' };
  const asked = { ...choices, appId: standing.appId };
  const existing = { ...placeOf(seen), kind: 'upgrade' } as const;
  return prepareInstallation(parts, { organization, existing, asked, expected: seen.expected }, request);
}

/** Back to a release that was ACTIVE here, as it was then: the choices of that attempt, checked as of now (cat:INST-T06, cat:INST-T17). */
export async function rollBackInstallation(
  parts: PreparationParts,
  seen: SeenInstallation,
  appReleaseDigest: Digest,
  request: RequestKey,
): Promise<Installed> {
  const { organization, installation } = seen;
  if ((await readInstallation(parts.db, organization, installation)).kind === 'absent') return { kind: 'no-installation' };
  const chosen = await readChosenFor(parts.db, organization, installation, appReleaseDigest);
  if (chosen === undefined) return { kind: 'not-a-prior-release' };
  const existing = { ...placeOf(seen), kind: 'rollback' } as const;
  return prepareInstallation(parts, { organization, existing, asked: askedIn(chosen), expected: seen.expected }, request);
}
