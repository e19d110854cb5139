import type { AccountName, GateFence } from '@connector/kernel/brand';
import { CertificateId, OperationId } from '@connector/kernel/ids';
import { gateMachine } from '@connector/connector/model/serving/gate';
import { activateGenesis } from '@connector/connector/transitions/serving/activate-genesis.tx';
import { concludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import type { GateMove } from '@connector/connector/transitions/serving/gate-move';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { resumeGate } from '@connector/connector/transitions/serving/resume-gate.tx';
import type { Db } from '@connector/platform/db/db';
import type { TestSchema } from '@connector/testing/database';
import { serveAccounts } from '@connector/testing/fixtures/account';
import { serviceRow, vectorAnswers, VECTOR_ACCOUNTS, VECTOR_EPOCH, verifiedEpoch } from '@connector/testing/fixtures/serving';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Trial, type Try } from './trial';
import { heldFor } from '@connector/testing/fixtures/barriers';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';

const subject: Subject = { machine: gateMachine, table: 'con_serving_gate', column: 'mode' };
const V1 = ['v1_serving', 'halting_v1', 'v1_stopped', 'v1_drained', 'v2_validating'];
let trial: Trial;

/** The gate of `acme`, the account of the vectors, serving under an active epoch at fence 7. */
async function arranged(schema: TestSchema): Promise<AccountName> {
  await schema.reset();
  await serviceRow(schema);
  const [served] = await serveAccounts(schema, VECTOR_ACCOUNTS);
  return served?.account as AccountName;
}

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const on = (door: string, open: (db: Db, move: GateMove) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      const account = await arranged(schema);
      const move = () => ({ operationId: OperationId.mint(), account, expectedFence: 7n as GateFence, by: 'test', reason: 'test' });
      return { key: { account: Buffer.from(account) }, open: () => open(tap.db, move()) };
    },
  });
  return [
    on('halt-gate', haltGate),
    on('conclude-halt', concludeHalt),
    on('resume-gate', resumeGate),
    {
      door: 'activate-genesis',
      arrange: async () => {
        const account = await arranged(schema);
        // No epoch was ever active: only the gate itself is in the way.
        await schema.sql("UPDATE con_epoch SET state = 'verified'");
        const open = await genesis(schema);
        return { key: { account: Buffer.from(account) }, open: () => open(tap.db) };
      },
    },
  ];
}

async function genesis(schema: TestSchema): Promise<(db: Db) => Promise<unknown>> {
  const epochDigest = await verifiedEpoch(schema);
  const configuration = { digest: vectorAnswers().configuration.generationDigest, accounts: VECTOR_ACCOUNTS };
  const epoch = { epochId: VECTOR_EPOCH, epochDigest, accounts: VECTOR_ACCOUNTS, configuration };
  const asked = { requestedBy: 'test', reason: 'first', capacity: 'unqualified', barriers: heldFor(vectorEpoch()) } as const;
  return (db) => activateGenesis(db, { operationId: OperationId.mint(), certificateId: CertificateId.mint(), ...epoch, ...asked });
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`AccountServingGate: ${countOf(trial)}`);
});

describe('AccountServingGate, 8 modes, 64 pairs', () => {
  it('tried: every door that writes a gate, and every statement that they have for it; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-GATE by the doors the three pairs of a V2 gate and none of the others', () => {
    expect(moved(trial.opened)).toEqual(['halting_v2>v2_halted', 'v2_halted>v2_serving', 'v2_serving>halting_v2']);
    expect(moved(trial.opened)).toEqual(trial.said.moves);
    expect(unlisted(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-GATE by the statements alone the same pairs, whatever a door judges before', () => {
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
  });

  it('raised: con:SM-ALL-02 the fence by one in every move; a gate that did not move is untouched', () => {
    const fences = trial.opened.filter(({ from, to }) => from !== to).map(({ before, after }) => [before['fence'], after['fence']]);
    expect(fences.map((pair) => pair.map(String))).toEqual([
      ['7', '8'],
      ['7', '8'],
      ['7', '8'],
    ]);
    const unmoved = { ...trial, opened: trial.opened.filter(({ from, to }) => from === to), replayed: [] };
    expect(disturbed(unmoved, gateMachine.states)).toEqual([]);
  });

  it('never: con:GATE-28 a V2 mode is left for a V1 mode, and no V1 mode is left or reached at all', () => {
    const touched = [...moved(trial.opened), ...moved(trial.replayed)].flatMap((pair) => pair.split('>'));
    expect(touched.filter((mode) => V1.includes(mode))).toEqual([]);
    expect(disturbed(trial, V1)).toEqual([]);
    const back = gateMachine.states.filter((from) => !V1.includes(from) && V1.some((to) => gateMachine.allows(from, to as typeof from)));
    expect(back).toEqual([]);
  });
});
