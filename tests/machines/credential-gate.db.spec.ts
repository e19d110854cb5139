import { CredentialGenerationId } from '@connector/kernel/ids';
import { credentialGateMachine, type CredentialVerb } from '@connector/connector/model/serving/credential-gate';
import type { CredentialMove } from '@connector/connector/transitions/serving/credential-move';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import { reenableCredential } from '@connector/connector/transitions/serving/reenable-credential.tx';
import { revokeCredential } from '@connector/connector/transitions/serving/revoke-credential.tx';
import type { AccountName } from '@connector/kernel/brand';
import type { Db } from '@connector/platform/db/db';
import type { TestSchema } from '@connector/testing/database';
import { decided } from '@connector/testing/fixtures/credential';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: credentialGateMachine, table: 'con_credential_gate', column: 'mode' };
const ACCOUNT = 'north/acme' as AccountName;
let trial: Trial;

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const keyOf = (generation: CredentialGenerationId) => ({ generation_id: CredentialGenerationId.bytes(generation) });
  const carrying = (door: string, verb: CredentialVerb, open: (db: Db, move: CredentialMove) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      const generation = CredentialGenerationId.mint();
      await openCredentialGate(tap.db, generation);
      const move = await decided(schema, ACCOUNT, generation, verb);
      return { key: keyOf(generation), open: () => open(tap.db, move) };
    },
  });
  return [
    {
      door: 'open-credential-gate',
      arrange: async () => {
        const generation = CredentialGenerationId.mint();
        await openCredentialGate(tap.db, generation);
        return { key: keyOf(generation), open: () => openCredentialGate(tap.db, generation) };
      },
    },
    carrying('revoke-credential', 'revoke', revokeCredential),
    carrying('reenable-credential', 'reenable', reenableCredential),
  ];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`CredentialGenerationDispatchGate: ${countOf(trial)}`);
});

describe('CredentialGenerationDispatchGate, 2 states, 4 pairs', () => {
  it('tried: every door that writes a credential gate, and every statement that they have for it; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-CGATE con:CGATE-M by the two doors the two pairs, and opening again is no way around', () => {
    expect(moved(trial.opened)).toEqual(['enabled>revoked', 'revoked>enabled']);
    expect(moved(trial.opened)).toEqual(trial.said.moves);
    expect(unlisted(trial)).toEqual([]);
    expect(trial.said.later).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-CGATE by the statements alone the same pairs, whatever a door judges before', () => {
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
  });

  it('raised: con:SM-ALL-02 the fence by one in every move; a gate that did not move is untouched', () => {
    const fences = trial.opened.filter(({ from, to }) => from !== to).map(({ before, after }) => [before['fence'], after['fence']]);
    expect(fences.map((pair) => pair.map(String))).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
    const stays = ({ from, to }: { readonly from: string; readonly to: string }): boolean => from === to;
    const unmoved = { ...trial, opened: trial.opened.filter(stays), replayed: trial.replayed.filter(stays) };
    expect(disturbed(unmoved, credentialGateMachine.states)).toEqual([]);
  });

  it('born: con:SM-ALL-03 enabled and in no other mode', () => {
    expect([...trial.born]).toEqual(['enabled']);
  });
});
