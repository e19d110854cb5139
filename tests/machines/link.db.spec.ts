import { LinkId } from '@connector/kernel/ids';
import { linkMachine } from '@connector/connector/model/outbound/link';
import { conRemoteLink } from '@connector/schema/connector/outbound';
import type { TestSchema } from '@connector/testing/database';
import { CONFIRMED, insertRow } from '@connector/testing/fixtures/outbound';
import type { Subject } from './moves';
import { Calls } from './outbound';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: linkMachine, table: 'con_remote_link', column: 'state' };
let trial: Trial;

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const calls = new Calls(schema, tap);
  /** A confirmed effect, and a link that holds the remote record that it proved; `ours` where it is the place of this effect. */
  const linked = (ours: boolean): Try => ({
    door: 'finalize-effects',
    arrange: async () => {
      const first = await calls.settled(CONFIRMED);
      const slot = ours ? await calls.place(first) : 'elsewhere';
      const id = LinkId.mint();
      const { account } = first.served;
      const sides = { owner_slot: slot, remote_identity: 'thing/1', active_slot: slot, active_remote: 'thing/1' };
      await insertRow(schema, conRemoteLink, { link_id: id, account, effect_id: first.permit.effectId, ...sides, state: 'active' });
      return { key: { link_id: LinkId.bytes(id) }, open: () => calls.finalize(first) };
    },
  });
  const free: Try = {
    door: 'finalize-effects',
    arrange: async () => {
      const first = await calls.settled(CONFIRMED);
      await calls.finalize(first);
      const [row] = await schema.sql('SELECT link_id FROM con_remote_link WHERE account = ?', [Buffer.from(first.served.account)]);
      return { key: { link_id: row?.['link_id'] }, open: () => calls.finalize(first) };
    },
  };
  return [linked(true), linked(false), free];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`RemoteLink: ${countOf(trial)}`);
});

describe('RemoteLink, 2 states, 4 pairs', () => {
  it('tried: every door that writes a link; there is no statement that changes one; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
    expect(trial.said.updates).toEqual([]);
  });

  it('unmoved: con:SM-ALL-01 con:LINK-01 nobody revives a retired link, and nobody retires one yet', () => {
    expect(moved(trial.opened)).toEqual([]);
    expect(trial.said.moves).toEqual([]);
    expect(trial.said.later).toEqual(['active>retired']);
  });

  it('untouched: con:SM-ALL-04 con:INV-27 a retired link, and an active one too', () => {
    expect(linkMachine.terminal).toEqual(['retired']);
    expect(disturbed(trial, linkMachine.states)).toEqual([]);
  });

  it('born: con:SM-ALL-03 active and in no other state', () => {
    expect([...trial.born]).toEqual(['active']);
  });
});
