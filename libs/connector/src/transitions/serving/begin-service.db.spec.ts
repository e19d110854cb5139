import type { AccountName } from '@connector/kernel/brand';
import { AttemptId, CertificateId, OperationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import type { StepHook } from '@connector/platform/db/step-hook';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { heldFor } from '@connector/testing/fixtures/barriers';
import {
  countOf,
  found,
  serviceRow,
  VECTOR_ACCOUNTS,
  VECTOR_EPOCH,
  vectorAnswers,
  verifiedEpoch,
} from '@connector/testing/fixtures/serving';
import { crashPoints } from '@connector/kernel/paths';
import { journalDoors } from '../../model/journal-paths';
import { connectorDoors } from '../../model/paths';
import { compareEpoch, type EpochVerdict } from '../../model/serving/verification';
import { readEpochContent, readEpochHeader } from '../../reads/serving/epoch';
import { isCertified, readBackGenesis } from '../../reads/serving/genesis';
import { readGates } from '../../reads/serving/gates';
import { beginService, type BeginService, type BeginServiceParts, type ServiceBegun } from './begin-service';
import { declarePredecessor } from './declare-predecessor.tx';

let schema: TestSchema;
let journal: TestSchema;
let input: BeginService;

beforeAll(async () => {
  schema = await mainSchema();
  journal = await journalSchema();
});
beforeEach(async () => {
  await schema.reset();
  await journal.reset();
  await serviceRow(schema);
  const epochDigest = await verifiedEpoch(schema);
  await declarePredecessor(journal.db, { predecessor: 'no_predecessor', by: 'ops' });
  const ids = { attemptId: AttemptId.mint(), operationId: OperationId.mint(), certificateId: CertificateId.mint() };
  input = { ...ids, epochId: VECTOR_EPOCH, epochDigest, accounts: VECTOR_ACCOUNTS, requestedBy: 'ops', reason: 'first start' };
});
afterAll(() => Promise.all([schema.close(), journal.close()]));

function parts(change: Partial<BeginServiceParts> = {}): BeginServiceParts {
  return {
    main: schema.db,
    journal: journal.db,
    stored: () => readEpochContent(schema.db, input.epochId, input.epochDigest),
    certified: () => isCertified(schema.db, input.operationId),
    hold: ({ parts: frozen }) => Promise.resolve({ kind: 'held', barriers: heldFor(frozen, input.attemptId) }),
    reread: (stored) => Promise.resolve(compareEpoch(stored, found(vectorAnswers()))),
    readBack: () => readBackGenesis(schema.another(), input),
    ...change,
  };
}
const begin = (change: Partial<BeginServiceParts> = {}): Promise<ServiceBegun> => beginService(parts(change), input);
const owners = (verdict: EpochVerdict): Partial<BeginServiceParts> => ({ reread: () => Promise.resolve(verdict) });
const dyingAt =
  (point: string): StepHook =>
  (at) => {
    if (at.point === point) throw new Error(`killed at ${point}`);
  };

describe('begin-service', () => {
  it('begun: intent, activation, commit and a readback on a new session', async () => {
    expect(await begin()).toEqual({ kind: 'begun' });
    expect((await readGates(schema.db)).map(({ account }) => account)).toEqual(VECTOR_ACCOUNTS);
    expect(await countOf(journal, 'jrn_genesis_commit')).toBe(1);
  });

  it('begun: the same input again finds everything in place', async () => {
    await begin();
    expect(await begin()).toEqual({ kind: 'begun' });
    expect(await countOf(schema, 'con_audit_outbox')).toBe(2);
  });

  const points = [
    ...crashPoints(journalDoors['intend-genesis']),
    ...crashPoints(connectorDoors['activate-genesis']),
    ...crashPoints(journalDoors['commit-genesis']),
  ];
  it.each(points)('begun: killed at %s and run again with the same input, the service begins once', async (point) => {
    const dying = (one: TestSchema): Db => one.another(dyingAt(point));
    const killed = await begin({ main: dying(schema), journal: dying(journal) }).then(
      () => 'passed',
      () => 'killed',
    );
    // A conditional statement is not met in this run; then there is nothing to resume.
    if (killed === 'killed') expect(await countOf(journal, 'jrn_genesis_commit')).toBeLessThanOrEqual(1);
    expect(await begin()).toEqual({ kind: 'begun' });
    expect([await countOf(schema, 'con_serving_gate'), await countOf(schema, 'con_genesis_certificate')]).toEqual([1, 1]);
    expect(await countOf(journal, 'jrn_genesis_commit')).toBe(1);
  });

  it('begun: con:OPEN-44 what landed before a crash stands, though an owner has moved since', async () => {
    await begin({ journal: journal.another(dyingAt('commit-genesis/begin')) }).catch(() => undefined);
    expect(await countOf(schema, 'con_genesis_certificate')).toBe(1);
    expect(await begin(owners({ kind: 'rejected', reason: 'moved' }))).toEqual({ kind: 'begun' });
  });

  const epochState = async (): Promise<string | undefined> => (await readEpochHeader(schema.db, VECTOR_EPOCH))?.state;
  const DRIFTED: EpochVerdict = { kind: 'rejected', reason: 'differs: catalog' };

  it('not-verified: con:EPOCH-06 an owner is unavailable right before; the epoch stays verified and may begin later', async () => {
    const verdict: EpochVerdict = { kind: 'unavailable', owner: 'packs' };
    expect(await begin(owners(verdict))).toEqual({ kind: 'not-verified', verdict });
    expect([await epochState(), await countOf(schema, 'con_serving_gate')]).toEqual(['verified', 0]);
    expect(await begin()).toEqual({ kind: 'begun' });
  });

  it('not-verified: con:EPOCH-05 the owners say something else right before; the epoch is rejected for ever', async () => {
    expect(await begin(owners(DRIFTED))).toEqual({ kind: 'not-verified', verdict: DRIFTED });
    expect([await epochState(), await countOf(schema, 'con_serving_gate')]).toEqual(['rejected', 0]);
    expect(await begin(owners(DRIFTED))).toEqual({ kind: 'not-verified', verdict: DRIFTED });
    expect(await begin()).toEqual({ kind: 'not-activated', answer: { kind: 'epoch-not-verified', state: 'rejected' } });
  });

  it.each(crashPoints(connectorDoors['reject-verified']))(
    'not-verified: con:EPOCH-05 killed at %s and run again, the epoch is rejected once',
    async (point) => {
      await begin({ ...owners(DRIFTED), main: schema.another(dyingAt(point)) }).catch(() => undefined);
      expect(await begin(owners(DRIFTED))).toEqual({ kind: 'not-verified', verdict: DRIFTED });
      expect(await epochState()).toBe('rejected');
      const rejections = await schema.sql("SELECT 1 FROM con_audit_outbox WHERE door = 'reject-verified'");
      expect(rejections).toHaveLength(1);
    },
  );

  it('not-held: cat:INT-19 an owner does not hold its authors off; nothing is asked afresh, nothing is activated, and it may begin later', async () => {
    const refused = { kind: 'not-held', owner: 'packs', code: 'conflict' } as const;
    const reread = jest.fn(parts().reread);
    expect(await begin({ hold: () => Promise.resolve(refused), reread })).toEqual(refused);
    expect(reread).not.toHaveBeenCalled();
    expect([await epochState(), await countOf(schema, 'con_serving_gate')]).toEqual(['verified', 0]);
    expect(await begin()).toEqual({ kind: 'begun' });
  });

  it('not-verified: cat:INT-19 an owner gives no answer when it is to hold its authors off', async () => {
    const verdict = { kind: 'unavailable', owner: 'catalog' } as const;
    expect(await begin({ hold: () => Promise.resolve(verdict) })).toEqual({ kind: 'not-verified', verdict });
  });

  it('epoch-absent: the stored candidate is not the one that was asked for', async () => {
    expect(await begin({ stored: () => Promise.resolve(undefined) })).toEqual({ kind: 'epoch-absent' });
  });

  it('not-intended: another attempt is named in the journal', async () => {
    await begin(owners({ kind: 'unavailable', owner: 'catalog' }));
    const other = await beginService(parts(), { ...input, attemptId: AttemptId.mint() });
    expect(other).toMatchObject({ kind: 'not-intended', answer: { kind: 'other-attempt' } });
  });

  it('not-activated: the confirmed accounts are not the configuration’s', async () => {
    input = { ...input, accounts: ['north/acme' as AccountName] };
    expect(await begin()).toEqual({ kind: 'not-activated', answer: { kind: 'account-set-mismatch' } });
    expect(await countOf(journal, 'jrn_genesis_commit')).toBe(0);
  });

  it.each([
    ['epoch', "UPDATE con_epoch SET state = 'draining'"],
    ['certificate', 'UPDATE con_genesis_certificate SET account_set_digest = REPEAT(0x00, 32)'],
    ['gates', "UPDATE con_serving_gate SET account = 'north/other'"],
    ['gates', 'UPDATE con_serving_gate SET epoch_digest = REPEAT(0x00, 32)'],
    ['work', "DELETE FROM con_account_work WHERE stage = 'halt'"],
    ['feeds', 'DELETE FROM con_effect_feed'],
  ])('readback-differs: con:OPEN-44 a new session finds another %s', async (what, tamper) => {
    const readBack = async () => {
      await schema.sql(tamper);
      return readBackGenesis(schema.another(), input);
    };
    expect(await begin({ readBack })).toEqual({ kind: 'readback-differs', readback: { kind: 'differs', what } });
  });
});
