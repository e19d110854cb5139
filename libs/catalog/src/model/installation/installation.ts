import { machine } from '@connector/kernel/machine';

/** cat:INST-T01 to INST-T18: 16 of the 64 pairs. A service rebind is no move of an installation, and FAILED never becomes ACTIVE by itself. */
export const installationMachine = machine({
  name: 'AppInstallation',
  states: ['ABSENT', 'PREPARING', 'ACTIVE', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'REMOVED', 'FAILED'],
  initial: 'ABSENT',
  moves: {
    'open-publication': [
      ['ABSENT', 'PREPARING'],
      ['ACTIVE', 'UPGRADING'],
      ['ACTIVE', 'ROLLING_BACK'],
      ['FAILED', 'PREPARING'],
      ['FAILED', 'UPGRADING'],
      ['FAILED', 'ROLLING_BACK'],
    ],
    'open-removal': [
      ['ACTIVE', 'REMOVING'],
      ['FAILED', 'REMOVING'],
    ],
    publish: [
      ['PREPARING', 'ACTIVE'],
      ['UPGRADING', 'ACTIVE'],
      ['ROLLING_BACK', 'ACTIVE'],
    ],
    'abandon-candidate': [
      ['PREPARING', 'FAILED'],
      ['UPGRADING', 'ACTIVE'],
      ['ROLLING_BACK', 'ACTIVE'],
    ],
    'finish-abandonment': [
      ['UPGRADING', 'ACTIVE'],
      ['ROLLING_BACK', 'ACTIVE'],
    ],
    'fail-publication': [
      ['PREPARING', 'FAILED'],
      ['UPGRADING', 'FAILED'],
      ['ROLLING_BACK', 'FAILED'],
      ['REMOVING', 'FAILED'],
    ],
    'finish-removal': [['REMOVING', 'REMOVED']],
  },
});
export type InstallationState = (typeof installationMachine.states)[number];

/** Whose AppID is reserved in the organization (cat:INST-08). */
export const LIVE_STATES: readonly InstallationState[] = ['PREPARING', 'ACTIVE', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'FAILED'];

/** A state in which a candidate waits for its step 4. */
export const CANDIDATE_STATES = ['PREPARING', 'UPGRADING', 'ROLLING_BACK'] as const satisfies readonly InstallationState[];

/** Where an installation may go now, by the machine; a FAILED one by where it failed and by what it ever was (cat:A-29). */
export function mayMove(
  {
    state,
    failedFrom,
    everActive,
  }: { readonly state: InstallationState; readonly failedFrom: InstallationState | null; readonly everActive: boolean },
  to: InstallationState,
): boolean {
  return installationMachine.allows(state, to) && (state !== 'FAILED' || resumesTo(failedFrom, everActive).includes(to));
}

/** Where a FAILED installation may go: forward only as what it was, and out by removal from everywhere (cat:A-29). */
export function resumesTo(failedFrom: InstallationState | null, everActive: boolean): readonly InstallationState[] {
  if (failedFrom === 'REMOVING') return ['REMOVING'];
  return everActive ? ['UPGRADING', 'ROLLING_BACK', 'REMOVING'] : ['PREPARING', 'REMOVING'];
}
