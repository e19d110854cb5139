import { heldFor } from '@connector/testing/fixtures/barriers';
import { AttemptId, CertificateId, OperationId } from '@connector/kernel/ids';
import type { Digest } from '@connector/kernel/digest';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import {
  changed,
  countOf,
  found,
  serviceRow,
  vectorAnswers,
  VECTOR_ACCOUNTS,
  VECTOR_EPOCH,
  verifiedEpoch,
} from '@connector/testing/fixtures/serving';
import type { OwnerAnswers } from '../../model/serving/owner-answers';
import { compareEpoch, type StoredEpoch } from '../../model/serving/verification';
import { readEpochContent, readEpochHeader } from '../../reads/serving/epoch';
import { isCertified, readBackGenesis } from '../../reads/serving/genesis';
import { beginService, type ServiceBegun } from './begin-service';
import { declarePredecessor } from './declare-predecessor.tx';

let schema: TestSchema;
let journal: TestSchema;
let epochDigest: Digest;

beforeAll(async () => {
  [schema, journal] = [await mainSchema(), await journalSchema()];
});
beforeEach(async () => {
  await schema.reset();
  await journal.reset();
  await serviceRow(schema);
  epochDigest = await verifiedEpoch(schema);
  await declarePredecessor(journal.db, { predecessor: 'no_predecessor', by: 'ops' });
});
afterAll(() => Promise.all([schema.close(), journal.close()]));

/** The service begins while the owners answer this. */
function begin(answers: OwnerAnswers): Promise<ServiceBegun> {
  const ids = { attemptId: AttemptId.mint(), operationId: OperationId.mint(), certificateId: CertificateId.mint() };
  const input = { ...ids, epochId: VECTOR_EPOCH, epochDigest, accounts: VECTOR_ACCOUNTS, requestedBy: 'ops', reason: 'first start' };
  const parts = {
    main: schema.db,
    journal: journal.db,
    stored: () => readEpochContent(schema.db, VECTOR_EPOCH, epochDigest),
    certified: () => isCertified(schema.db, input.operationId),
    hold: ({ parts: frozen }: StoredEpoch) => Promise.resolve({ kind: 'held' as const, barriers: heldFor(frozen, ids.attemptId) }),
    reread: (stored: Parameters<typeof compareEpoch>[0]) => Promise.resolve(compareEpoch(stored, found(answers))),
    readBack: () => readBackGenesis(schema.another(), input),
  };
  return beginService(parts, input);
}

describe('an epoch that was verified', () => {
  it('not-verified: con:VERI-O what an owner says now counts, not what it said then; the evidence of then stands', async () => {
    const evidence = await schema.sql('SELECT * FROM con_epoch_verification');
    const answers = vectorAnswers();
    const receiptBytes = changed(answers.view.receiptBytes, (receipt) => (receipt['security_epoch'] = '8'));
    const begun = await begin({ ...answers, view: { ...answers.view, receiptBytes } });
    expect(begun).toMatchObject({ kind: 'not-verified', verdict: { kind: 'rejected' } });
    expect(await countOf(schema, 'con_serving_gate')).toBe(0);
    expect(await schema.sql('SELECT * FROM con_epoch_verification')).toEqual(evidence);
  });

  it('begun: con:VERI-O the same owners, unchanged', async () => {
    expect(await begin(vectorAnswers())).toEqual({ kind: 'begun' });
    expect((await readEpochHeader(schema.db, VECTOR_EPOCH))?.state).toBe('active');
  });
});
