import { Digest } from '@connector/kernel/digest';
import { EpochId, OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf, forceEpoch, preparedEpoch, VECTOR_EPOCH } from '@connector/testing/fixtures/serving';
import { epochMachine } from '../../model/serving/epoch';
import { readEpochHeader } from '../../reads/serving/epoch';
import { readVerification } from '../../reads/serving/verification';
import { verifyEpoch, type VerifyEpoch } from './verify-epoch.tx';

let schema: TestSchema;
let epochDigest: Digest;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  epochDigest = await preparedEpoch(schema);
});
afterAll(() => schema.close());

const OTHER = Digest.sha256(Buffer.from('other'));
const VERIFIED = { kind: 'verified' } as const;
const REJECTED = { kind: 'rejected', reason: 'packs: GENERATION_ABSENT' } as const;
function input(change: Partial<VerifyEpoch> = {}): VerifyEpoch {
  const evidence = Buffer.from('{"found":"all"}');
  return {
    operationId: OperationId.mint(),
    epochId: VECTOR_EPOCH,
    epochDigest,
    verdict: VERIFIED,
    evidence,
    requestedBy: 'ops',
    ...change,
  };
}
const state = async (): Promise<string | undefined> => (await readEpochHeader(schema.db, VECTOR_EPOCH))?.state;

describe('verify-epoch', () => {
  it('verified: con:EPOCH-01 con:VERI-W the verdict is recorded with its evidence and the candidate moves', () => records(VERIFIED));
  it('rejected: con:EPOCH-02 con:VERI-W the verdict is recorded with its reason, for ever', () => records(REJECTED));

  async function records(verdict: VerifyEpoch['verdict']): Promise<void> {
    const asked = input({ verdict });
    expect(await verifyEpoch(schema.db, asked)).toEqual({ kind: verdict.kind, epochId: VECTOR_EPOCH });
    expect(await state()).toBe(verdict.kind);
    expect(await readVerification(schema.db, VECTOR_EPOCH)).toMatchObject({ operationId: asked.operationId, verdict: verdict.kind });
    const [row] = await schema.sql('SELECT evidence FROM con_epoch_verification');
    expect(String(row?.['evidence'])).toBe('{"found":"all"}');
    const [entry] = await schema.sql('SELECT items FROM con_audit_outbox');
    expect(JSON.parse(String(entry?.['items']))).toMatchObject([{ from: 'prepared', to: verdict.kind, by: 'ops' }]);
  }

  it.each([VERIFIED, REJECTED])('$kind: the same operation again is given its first answer, with no second row', async (verdict) => {
    const once = input({ verdict });
    const first = await verifyEpoch(schema.db, once);
    expect(await verifyEpoch(schema.db, once)).toEqual(first);
    expect([await countOf(schema, 'con_epoch_verification'), await countOf(schema, 'con_audit_outbox')]).toEqual([1, 1]);
  });

  it('operation-reused: the same operation cannot carry another verdict', async () => {
    const once = input();
    await verifyEpoch(schema.db, once);
    expect(await verifyEpoch(schema.db, { ...once, verdict: REJECTED })).toEqual({ kind: 'operation-reused' });
    expect(await state()).toBe('verified');
  });

  it.each(epochMachine.states.filter((one) => one !== 'prepared'))(
    'not-prepared: con:EPOCH-M an epoch that is %s is not verified again',
    async (now) => {
      await forceEpoch(schema, VECTOR_EPOCH, now);
      expect(await verifyEpoch(schema.db, input())).toEqual({ kind: 'not-prepared', state: now });
      expect(await countOf(schema, 'con_epoch_verification')).toBe(0);
    },
  );

  it('candidate-differs: con:EPOCH-01 the candidate is not the one that was compared', async () => {
    expect(await verifyEpoch(schema.db, input({ epochDigest: OTHER }))).toEqual({ kind: 'candidate-differs', epochDigest });
    expect(await state()).toBe('prepared');
  });

  it('not-found: there is no such candidate', async () => {
    expect(await verifyEpoch(schema.db, input({ epochId: EpochId.mint() }))).toEqual({ kind: 'not-found' });
  });

  it('not-prepared: con:VERI-L of two concurrent verifiers the second finds the first one’s verdict', async () => {
    const answers = await Promise.all([verifyEpoch(schema.db, input()), verifyEpoch(schema.db, input({ verdict: REJECTED }))]);
    const kinds = answers.map(({ kind }) => kind);
    expect(kinds).toContain('not-prepared');
    expect(kinds).toContain((await state()) as string);
    expect(await countOf(schema, 'con_epoch_verification')).toBe(1);
  });
});
