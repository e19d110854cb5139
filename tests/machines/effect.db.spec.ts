import { LinkId } from '@connector/kernel/ids';
import { effectMachine } from '@connector/connector/model/outbound/effect';
import type { CallEvidence } from '@connector/connector/model/outbound/evidence';
import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import { conRemoteLink } from '@connector/schema/connector/outbound';
import type { TestSchema } from '@connector/testing/database';
import { CONFIRMED, insertRow, NO_IO, REFUSED, UNCERTAIN } from '@connector/testing/fixtures/outbound';
import type { Subject } from './moves';
import { Calls, effectKey, type Call } from './outbound';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: effectMachine, table: 'con_remote_effect', column: 'state' };
let trial: Trial;

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const calls = new Calls(schema, tap);
  const on = <C extends Call>(door: string, make: () => Promise<C>, open: (call: C) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      const call = await make();
      return { key: effectKey(call), open: () => open(call) };
    },
  });
  const settle = (evidence: CallEvidence): Try =>
    on(
      'settle-permits',
      () => calls.sending(),
      (call) => calls.settle(call, evidence),
    );
  return [
    on(
      'create-effects',
      () => calls.rewound(),
      ({ served }) => createEffectsOfFeed(tap.db, served, 200),
    ),
    on('grant', async () => calls.untried(await calls.granted()), calls.grant),
    ...[CONFIRMED, UNCERTAIN, REFUSED, NO_IO].map(settle),
    on('abandon-permits', async () => calls.ended(await calls.granted()), calls.abandon),
    on('abandon-permits', async () => calls.ended(await calls.sending()), calls.abandon),
    on('finalize-effects', () => calls.settled(CONFIRMED), calls.finalize),
    on('finalize-effects', () => contested(schema, calls), calls.finalize),
  ];
}

/** The remote record is linked to another place already. */
async function contested(schema: TestSchema, calls: Calls): Promise<Call> {
  const call = await calls.settled(CONFIRMED);
  const remote = String(CONFIRMED.remoteIdentity);
  const link = { link_id: LinkId.mint(), account: call.served.account, effect_id: call.permit.effectId };
  const sides = { owner_slot: 'elsewhere', remote_identity: remote, active_slot: 'elsewhere', active_remote: remote };
  await insertRow(schema, conRemoteLink, { ...link, ...sides, state: 'active' });
  return call;
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`RemoteEffect: ${countOf(trial)}`);
});

describe('RemoteEffect, 7 states, 49 pairs', () => {
  it('tried: every door that writes an effect, and every statement that they have for it; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual(['HOUSE:connector:EffectBehindPermit', 'HOUSE:db:Duplicate']);
  });

  it('moved: con:SM-ALL-01 con:NEG-REFF by the doors the listed pairs of their paths and none of the others', () => {
    expect(moved(trial.opened)).toEqual(trial.said.moves);
    expect(unlisted(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-REFF by the statements alone the same pairs, whatever a door judges before', () => {
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
  });

  it('untouched: con:SM-ALL-04 con:INV-27 by every door and statement in no_effect, finalized and quarantined', () => {
    expect(effectMachine.terminal).toEqual(['no_effect', 'finalized', 'quarantined']);
    expect(disturbed(trial, effectMachine.terminal)).toEqual([]);
  });

  it('born: con:SM-ALL-03 prepared and in no other state', () => {
    expect([...trial.born]).toEqual(['prepared']);
  });
});
