import { CredentialGenerationId } from '@connector/kernel/ids';
import { credentialGateMachine } from '@connector/connector/model/serving/credential-gate';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import type { TestSchema } from '@connector/testing/database';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: credentialGateMachine, table: 'con_credential_gate', column: 'mode' };
let trial: Trial;

const tries = (_schema: TestSchema, tap: Tap): readonly Try[] => [
  {
    door: 'open-credential-gate',
    arrange: async () => {
      const generation = CredentialGenerationId.mint();
      await openCredentialGate(tap.db, generation);
      return { key: { generation_id: CredentialGenerationId.bytes(generation) }, open: () => openCredentialGate(tap.db, generation) };
    },
  },
];

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`CredentialGenerationDispatchGate: ${countOf(trial)}`);
});

describe('CredentialGenerationDispatchGate, 2 states, 4 pairs', () => {
  it('tried: every door that writes a credential gate; there is no statement that changes one; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
    expect(trial.said.updates).toEqual([]);
  });

  it('unmoved: con:SM-ALL-01 con:NEG-CGATE neither pair has a door yet, and opening again is no way around', () => {
    expect(moved(trial.opened)).toEqual([]);
    expect(trial.said.later).toEqual(['enabled>revoked', 'revoked>enabled']);
  });

  it('untouched: con:SM-ALL-02 the fence stands where nothing moved', () => {
    expect(disturbed(trial, credentialGateMachine.states)).toEqual([]);
  });

  it('born: con:SM-ALL-03 enabled and in no other mode', () => {
    expect([...trial.born]).toEqual(['enabled']);
  });
});
