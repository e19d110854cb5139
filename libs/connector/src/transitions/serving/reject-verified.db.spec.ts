import { Digest } from '@connector/kernel/digest';
import { EpochId, OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf, forceEpoch, VECTOR_EPOCH, verifiedEpoch } from '@connector/testing/fixtures/serving';
import { epochMachine } from '../../model/serving/epoch';
import { readEpochHeader } from '../../reads/serving/epoch';
import { rejectVerified, type RejectVerified } from './reject-verified.tx';

let schema: TestSchema;
let epochDigest: Digest;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  epochDigest = await verifiedEpoch(schema);
  await schema.sql('DELETE FROM con_audit_outbox');
});
afterAll(() => schema.close());

const OTHER = Digest.sha256(Buffer.from('other'));
const REASON = 'differs: catalog';
function input(change: Partial<RejectVerified> = {}): RejectVerified {
  return { operationId: OperationId.mint(), epochId: VECTOR_EPOCH, epochDigest, reason: REASON, requestedBy: 'ops', ...change };
}
const state = async (): Promise<string | undefined> => (await readEpochHeader(schema.db, VECTOR_EPOCH))?.state;

describe('reject-verified', () => {
  it('rejected: con:EPOCH-05 the epoch ends with the reason in operation and audit, and what was verified then stands', async () => {
    const evidence = await schema.sql('SELECT * FROM con_epoch_verification');
    const asked = input();
    const answer = { kind: 'rejected', epochId: VECTOR_EPOCH, reason: REASON };
    expect(await rejectVerified(schema.db, asked)).toEqual(answer);
    expect(await state()).toBe('rejected');
    expect(await schema.sql('SELECT * FROM con_epoch_verification')).toEqual(evidence);
    const [operation] = await schema.sql('SELECT answer FROM con_operation WHERE operation_id = ?', [OperationId.bytes(asked.operationId)]);
    expect(JSON.parse(String(operation?.['answer']))).toEqual(answer);
    const [entry] = await schema.sql('SELECT items FROM con_audit_outbox');
    const moved = { epoch: VECTOR_EPOCH, from: 'verified', to: 'rejected', reason: REASON, by: 'ops' };
    expect(JSON.parse(String(entry?.['items']))).toEqual([moved]);
  });

  it('rejected: the same operation again is given its first answer and reason, with no second row', async () => {
    const once = input();
    const first = await rejectVerified(schema.db, once);
    expect(await rejectVerified(schema.db, { ...once, reason: 'packs: DEFINITION_ABSENT' })).toEqual(first);
    expect(await countOf(schema, 'con_audit_outbox')).toBe(1);
  });

  it('operation-reused: the same operation cannot reject another epoch', async () => {
    const once = input();
    await rejectVerified(schema.db, once);
    expect(await rejectVerified(schema.db, { ...once, epochId: EpochId.mint() })).toEqual({ kind: 'operation-reused' });
  });

  it.each(epochMachine.states.filter((one) => one !== 'verified'))(
    'not-verified: con:EPOCH-M an epoch that is %s is left as it is',
    async (now) => {
      await forceEpoch(schema, VECTOR_EPOCH, now);
      expect(await rejectVerified(schema.db, input())).toEqual({ kind: 'not-verified', state: now });
      expect([await state(), await countOf(schema, 'con_audit_outbox')]).toEqual([now, 0]);
    },
  );

  it('epoch-differs: the epoch is not the one that was compared', async () => {
    expect(await rejectVerified(schema.db, input({ epochDigest: OTHER }))).toEqual({ kind: 'epoch-differs', epochDigest });
    expect(await state()).toBe('verified');
  });

  it('not-found: there is no such epoch', async () => {
    expect(await rejectVerified(schema.db, input({ epochId: EpochId.mint() }))).toEqual({ kind: 'not-found' });
  });

  it('not-verified: of two concurrent rejections the second finds the first', async () => {
    const answers = await Promise.all([rejectVerified(schema.db, input()), rejectVerified(schema.db, input())]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['not-verified', 'rejected']);
    expect(await countOf(schema, 'con_audit_outbox')).toBe(1);
  });
});
