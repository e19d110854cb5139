import { bindingMachine } from './binding';
import { installationMachine, type InstallationState, LIVE_STATES, resumesTo } from './installation';

/** The rejected pairs as the contract lists them, counted by hand and not from our machine. */
const REJECTED: readonly (readonly [string, InstallationState, readonly InstallationState[]])[] = [
  ['cat:INST-X01', 'ABSENT', ['ABSENT', 'ACTIVE', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'REMOVED', 'FAILED']],
  ['cat:INST-X02', 'PREPARING', ['ABSENT', 'PREPARING', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'REMOVED']],
  ['cat:INST-X03', 'ACTIVE', ['ABSENT', 'PREPARING', 'ACTIVE', 'REMOVED', 'FAILED']],
  ['cat:INST-X04', 'UPGRADING', ['ABSENT', 'PREPARING', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'REMOVED']],
  ['cat:INST-X05', 'ROLLING_BACK', ['ABSENT', 'PREPARING', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'REMOVED']],
  ['cat:INST-X06', 'REMOVING', ['ABSENT', 'PREPARING', 'ACTIVE', 'UPGRADING', 'ROLLING_BACK', 'REMOVING']],
  ['cat:INST-X07', 'FAILED', ['ABSENT', 'ACTIVE', 'REMOVED', 'FAILED']],
  ['cat:INST-X08', 'REMOVED', ['ABSENT', 'PREPARING', 'ACTIVE', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'REMOVED', 'FAILED']],
];

describe('installation machine', () => {
  it('64 pairs: 16 allowed and 48 rejected, exactly those of the contract', () => {
    const { states } = installationMachine;
    const allowed = states.flatMap((from) => states.filter((to) => installationMachine.allows(from, to)).map((to) => `${from}>${to}`));
    expect(states).toHaveLength(8);
    expect(allowed).toHaveLength(16);
    expect(REJECTED.reduce((sum, [, , targets]) => sum + targets.length, 0)).toBe(48);
  });

  it.each(REJECTED)('%s rejected: from %s to each of its targets', (_row, from, targets) => {
    for (const to of targets) expect([to, installationMachine.allows(from, to)]).toEqual([to, false]);
    for (const to of installationMachine.states.filter((state) => !targets.includes(state))) {
      expect([to, installationMachine.allows(from, to)]).toEqual([to, true]);
    }
  });

  it('live: cat:INST-08 the six states that keep the reservation; neither ABSENT nor REMOVED', () => {
    expect(LIVE_STATES).toEqual(installationMachine.states.filter((state) => state !== 'ABSENT' && state !== 'REMOVED'));
    expect(installationMachine.terminal).toEqual(['REMOVED']);
  });

  it('resumed: cat:A-29 forward only as what it was, removal from everywhere, and after a removal nothing but it', () => {
    expect(resumesTo('PREPARING', false)).toEqual(['PREPARING', 'REMOVING']);
    for (const from of ['UPGRADING', 'ROLLING_BACK'] as const)
      expect(resumesTo(from, true)).toEqual(['UPGRADING', 'ROLLING_BACK', 'REMOVING']);
    expect(resumesTo('REMOVING', true)).toEqual(['REMOVING']);
    expect(resumesTo('REMOVING', false)).toEqual(['REMOVING']);
  });
});

describe('binding machine', () => {
  it('25 pairs: cat:BIND-06 cat:A-35 4 allowed and 21 rejected', () => {
    const { states } = bindingMachine;
    const allowed = states.flatMap((from) => states.filter((to) => bindingMachine.allows(from, to)).map((to) => `${from}>${to}`));
    expect(allowed).toEqual(['STAGED>ACTIVE', 'STAGED>FAILED', 'ACTIVE>DRAINING', 'DRAINING>RETIRED']);
    expect(states.length ** 2 - allowed.length).toBe(21);
  });
});
