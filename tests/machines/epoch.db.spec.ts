import { CertificateId, EpochId, OperationId } from '@connector/kernel/ids';
import { epochMachine } from '@connector/connector/model/serving/epoch';
import { activateGenesis } from '@connector/connector/transitions/serving/activate-genesis.tx';
import { prepareEpoch } from '@connector/connector/transitions/serving/prepare-epoch.tx';
import { rejectVerified } from '@connector/connector/transitions/serving/reject-verified.tx';
import { verifyEpoch, type VerifyEpoch } from '@connector/connector/transitions/serving/verify-epoch.tx';
import type { TestSchema } from '@connector/testing/database';
import { preparedEpoch, serviceRow, vectorAnswers, VECTOR_ACCOUNTS, VECTOR_EPOCH } from '@connector/testing/fixtures/serving';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Trial, type Try } from './trial';
import { heldFor } from '@connector/testing/fixtures/barriers';

const subject: Subject = { machine: epochMachine, table: 'con_epoch', column: 'state' };
let trial: Trial;

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const on = (door: string, open: (epochDigest: VerifyEpoch['epochDigest']) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      await schema.reset();
      await serviceRow(schema);
      const epochDigest = await preparedEpoch(schema);
      return { key: { epoch_id: EpochId.bytes(VECTOR_EPOCH) }, open: () => open(epochDigest) };
    },
  });
  const common = () => ({ operationId: OperationId.mint(), epochId: VECTOR_EPOCH, requestedBy: 'test' });
  const verify = (verdict: VerifyEpoch['verdict']): Try =>
    on('verify-epoch', (epochDigest) => verifyEpoch(tap.db, { ...common(), epochDigest, verdict, evidence: Buffer.from('{}') }));
  const configuration = { digest: vectorAnswers().configuration.generationDigest, accounts: VECTOR_ACCOUNTS };
  const asked = {
    accounts: VECTOR_ACCOUNTS,
    configuration,
    reason: 'first',
    capacity: 'unqualified',
    barriers: heldFor(vectorEpoch()),
  } as const;
  return [
    on('prepare-epoch', () => prepareEpoch(tap.db, { digestProfile: 'nexuscrm.connector-digest-profile.v2', parts: vectorEpoch() })),
    verify({ kind: 'verified' }),
    verify({ kind: 'rejected', reason: 'VIEW_MISMATCH' }),
    on('reject-verified', (epochDigest) => rejectVerified(tap.db, { ...common(), epochDigest, reason: 'VIEW_MISMATCH' })),
    on('activate-genesis', (epochDigest) =>
      activateGenesis(tap.db, { ...common(), certificateId: CertificateId.mint(), epochDigest, ...asked }),
    ),
  ];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`ServingEpoch: ${countOf(trial)}`);
});

describe('ServingEpoch, 6 states, 36 pairs', () => {
  it('tried: every door that writes an epoch header, and every statement that they have for it; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-EPOCH by the doors the four listed pairs that have one and none of the others', () => {
    expect(moved(trial.opened)).toEqual(['prepared>rejected', 'prepared>verified', 'verified>active', 'verified>rejected']);
    expect(moved(trial.opened)).toEqual(trial.said.moves);
    expect(unlisted(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-EPOCH by the statements alone the same pairs, whatever a door judges before', () => {
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
  });

  it('untouched: con:SM-ALL-04 con:INV-27 by every door and statement once rejected or retired', () => {
    expect(epochMachine.terminal).toEqual(['rejected', 'retired']);
    expect(disturbed(trial, epochMachine.terminal)).toEqual([]);
  });

  it('born: con:SM-ALL-03 prepared and in no other state', () => {
    expect([...trial.born]).toEqual(['prepared']);
  });
});
