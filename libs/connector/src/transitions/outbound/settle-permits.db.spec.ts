import type { AccountName, HolderFence } from '@connector/kernel/brand';
import { type CredentialGenerationId, PermitId, SendToken } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  NO_IO,
  REFUSED,
  registered,
  sending,
  settlement,
  THREE_TRIES,
  UNCERTAIN,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import type { CallEvidence } from '../../model/outbound/evidence';
import { settlePermits, type SettleBatch, type SettlePermit } from './settle-permits.tx';

let schema: TestSchema;
let served: ServedAccount;
let holder: TestHolder;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
});
afterAll(() => schema.close());

/** Permits for this many new commands. */
async function permits(count = 1): Promise<readonly HeldPermit[]> {
  for (let sequence = 1; sequence <= count; sequence += 1) await authored(schema, served, sequence, credential);
  return granted(schema.db, served, holder);
}

async function sent(count = 1): Promise<{ readonly held: readonly HeldPermit[]; readonly token: SendToken }> {
  const held = await permits(count);
  return { held, token: await sending(schema.db, holder, credential, held) };
}
const settle = (batch: SettleBatch): Promise<readonly SettlePermit[]> => settlePermits(schema.db, batch);
/** One sent call, settled with this. */
async function settled(evidence: CallEvidence, policy = THREE_TRIES): Promise<readonly SettlePermit[]> {
  const { held, token } = await sent();
  return settle(settlement(served, holder, token, held, evidence, policy));
}
async function effect(): Promise<Record<string, unknown> | undefined> {
  const [row] = await schema.sql(
    `SELECT state, attempt_count, ready_account, finalize_account, ROUND(TIMESTAMPDIFF(MICROSECOND, changed_at, due_at) / 1e6) AS wait
     FROM con_remote_effect`,
  );
  return row && { ...row, state: String(row['state']), wait: Number(row['wait']) };
}
async function permitState(): Promise<string> {
  const [row] = await schema.sql('SELECT state, open_account IS NULL AS closed, closed_at IS NOT NULL AS timed FROM con_dispatch_permit');
  return `${String(row?.['state'])} ${String(row?.['closed'])}${String(row?.['timed'])}`;
}
const raised = async (): Promise<readonly string[]> =>
  (await schema.sql('SELECT stage FROM con_account_work WHERE produced > 0 AND due_at <= NOW(6) ORDER BY stage')).map((row) =>
    String(row['stage']),
  );
const ACCOUNT = Buffer.from('north/acme');

describe('settle-permits', () => {
  it('settled: con:SETL-W con:REFF-03 con:PRMT-03 proof confirms the effect, returns the permit and wakes the finalizer', async () => {
    expect(await settled(CONFIRMED)).toEqual([{ kind: 'settled', effect: 'remote_confirmed' }]);
    expect(await effect()).toMatchObject({ state: 'remote_confirmed', finalize_account: ACCOUNT, ready_account: null });
    expect(await permitState()).toBe('returned 11');
    expect(await raised()).toEqual(['finalize']);
    const [evidence] = await schema.sql(
      'SELECT source, outcome, io_started, status, remote_identity, detail, answer, retry_ms, termination_id FROM con_effect_evidence',
    );
    expect(evidence).toEqual({
      source: Buffer.from('settlement'),
      outcome: Buffer.from('remote_confirmed'),
      io_started: 1,
      status: 201,
      remote_identity: Buffer.from('thing/1'),
      detail: Buffer.from('created'),
      answer: Buffer.from('{"id":1}'),
      retry_ms: null,
      termination_id: null,
    });
  });

  it('settled: con:REFF-04 con:CRASH-23 ambiguity leaves the effect uncertain; nothing tries it again', async () => {
    expect(await settled(UNCERTAIN)).toEqual([{ kind: 'settled', effect: 'uncertain' }]);
    expect(await effect()).toMatchObject({ state: 'uncertain', finalize_account: null, ready_account: null });
    expect(await raised()).toEqual([]);
  });

  it('settled: con:REFF-06 con:CRASH-22 a call that never began is prepared again after the backoff of its attempt', async () => {
    expect(await settled(NO_IO)).toEqual([{ kind: 'settled', effect: 'prepared' }]);
    expect(await effect()).toMatchObject({ state: 'prepared', attempt_count: 1, ready_account: ACCOUNT, wait: 60 });
    expect(await raised()).toEqual(['effect']);
  });

  it('settled: con:REFF-06 the attempt number of the locked effect decides the delay', async () => {
    const { held, token } = await sent();
    for (const table of [
      'con_effect_attempt SET ordinal',
      'con_dispatch_permit SET attempt_ordinal',
      'con_remote_effect SET attempt_count',
    ])
      await schema.sql(`UPDATE ${table} = 2`);
    await settle(settlement(served, holder, token, held, NO_IO));
    expect(await effect()).toMatchObject({ state: 'prepared', attempt_count: 2, wait: 120 });
  });

  it('settled: con:REFF-05 con:CRASH-22 no effect is the end when no attempt is left', async () => {
    expect(await settled(NO_IO, { ...THREE_TRIES, attemptsMax: 1 })).toEqual([{ kind: 'settled', effect: 'no_effect' }]);
    expect(await effect()).toMatchObject({ state: 'no_effect', ready_account: null });
    expect(await raised()).toEqual([]);
  });

  it('settled: con:REFF-05 a refusal is the end unless the policy says otherwise', async () => {
    expect(await settled(REFUSED)).toEqual([{ kind: 'settled', effect: 'no_effect' }]);
  });

  it('settled: con:REFF-06 a refusal is tried again where the policy says so', async () => {
    expect(await settled(REFUSED, { ...THREE_TRIES, retryRefused: true })).toEqual([{ kind: 'settled', effect: 'prepared' }]);
  });

  it.each(['halting_v2', 'v2_halted', 'v2_serving'])('settled: con:SETL-P con:CRASH-20 legal in %s', async (mode) => {
    const { held, token } = await sent();
    await schema.sql('UPDATE con_serving_gate SET mode = ?, fence = fence + 1', [mode]);
    expect(await settle(settlement(served, holder, token, held, CONFIRMED))).toEqual([{ kind: 'settled', effect: 'remote_confirmed' }]);
    expect(await raised()).toEqual(mode === 'halting_v2' ? ['finalize', 'halt'] : ['finalize']);
  });

  it.each([CONFIRMED, UNCERTAIN, NO_IO, REFUSED])(
    'settled: con:SETL-O again with equal evidence answers the same and writes nothing',
    async (evidence) => {
      const { held, token } = await sent();
      const batch = settlement(served, holder, token, held, evidence);
      const first = await settle(batch);
      const before = await schema.sql('SELECT * FROM con_remote_effect');
      expect(await settle(batch)).toEqual(first);
      expect(await schema.sql('SELECT * FROM con_remote_effect')).toEqual(before);
      expect(await schema.sql("SELECT COUNT(*) AS n FROM con_audit_outbox WHERE door = 'settle-permits'")).toEqual([{ n: '1' }]);
    },
  );

  it('settled: con:SETL-O again answers the same after the effect went on', async () => {
    const { held, token } = await sent();
    const batch = settlement(served, holder, token, held, CONFIRMED);
    const first = await settle(batch);
    await schema.sql("UPDATE con_remote_effect SET state = 'finalized', finalize_account = NULL");
    expect(await settle(batch)).toEqual(first);
  });

  it('already-settled-otherwise: con:SETL-X other evidence for a returned permit changes nothing', async () => {
    const { held, token } = await sent();
    await settle(settlement(served, holder, token, held, UNCERTAIN));
    expect(await settle(settlement(served, holder, token, held, CONFIRMED))).toEqual([{ kind: 'already-settled-otherwise' }]);
    expect(await effect()).toMatchObject({ state: 'uncertain' });
  });

  it('not-sending: con:SETL-X con:NEG-PRMT a granted permit is not settled', async () => {
    const held = await permits();
    expect(await settle(settlement(served, holder, SendToken.mint(), held, NO_IO))).toEqual([{ kind: 'not-sending', state: 'granted' }]);
    expect(await permitState()).toBe('granted 00');
  });

  it('not-sending: con:SETL-X an abandoned permit is not settled', async () => {
    const { held, token } = await sent();
    await schema.sql("UPDATE con_dispatch_permit SET state = 'abandoned', open_account = NULL");
    expect(await settle(settlement(served, holder, token, held, CONFIRMED))).toEqual([{ kind: 'not-sending', state: 'abandoned' }]);
    expect(await effect()).toMatchObject({ state: 'dispatching' });
  });

  it('token-differs: con:SETL-X another invocation than the one that sends settles nothing', async () => {
    const { held } = await sent();
    expect(await settle(settlement(served, holder, SendToken.mint(), held, CONFIRMED))).toEqual([{ kind: 'token-differs' }]);
    expect(await permitState()).toBe('sending 00');
  });

  it('holder-fenced-off: con:SETL-X another fence or another name settles nothing', async () => {
    const { held, token } = await sent();
    const batch = settlement(served, holder, token, held, CONFIRMED);
    expect(await settle({ ...batch, holderFence: 6n as HolderFence })).toEqual([{ kind: 'holder-fenced-off' }]);
    expect(await settle({ ...batch, holderId: 'egress-2' })).toEqual([{ kind: 'holder-fenced-off' }]);
    expect(await permitState()).toBe('sending 00');
  });

  it('not-found: another account, an absent permit, or a permit of another effect', async () => {
    const { held, token } = await sent(2);
    const [one, two] = held as [HeldPermit, HeldPermit];
    const absent = [
      { ...one, permitId: PermitId.mint() },
      { ...one, effectId: two.effectId },
    ];
    expect((await settle(settlement(served, holder, token, absent, CONFIRMED))).map(({ kind }) => kind)).toEqual([
      'not-found',
      'not-found',
    ]);
    await serveAccounts(schema, ['north/x']);
    const elsewhere = settlement(served, holder, token, [one], CONFIRMED);
    expect(await settle({ ...elsewhere, account: 'north/x' as AccountName })).toEqual([{ kind: 'not-found' }]);
    expect(await settle({ ...elsewhere, account: 'north/none' as AccountName })).toEqual([{ kind: 'not-found' }]);
    expect(await schema.sql('SELECT * FROM con_effect_evidence')).toEqual([]);
  });

  it('settled: each permit of a batch goes its own way in one commit', async () => {
    const { held, token } = await sent(4);
    const evidence = [CONFIRMED, UNCERTAIN, NO_IO, REFUSED];
    const batch = settlement(served, holder, token, held, CONFIRMED);
    const settlements = batch.settlements.map((one, index) => ({ ...one, evidence: evidence[index] as CallEvidence }));
    const effects = (await settle({ ...batch, settlements })).map((answer) => answer.kind === 'settled' && answer.effect);
    expect(effects).toEqual(['remote_confirmed', 'uncertain', 'prepared', 'no_effect']);
    const states = await schema.sql('SELECT COUNT(DISTINCT state) AS states, COUNT(ready_account) AS ready FROM con_remote_effect');
    expect(states).toEqual([{ states: '4', ready: '1' }]);
  });

  it('refused: evidence that contradicts itself never reaches the database', () => {
    const batch = settlement(served, holder, SendToken.mint(), [], CONFIRMED);
    const one = { permitId: PermitId.mint(), effectId: null as never, sendToken: SendToken.mint(), policy: THREE_TRIES };
    const wrong = { ...batch, settlements: [{ ...one, evidence: { ...CONFIRMED, ioStarted: false } }] };
    expect(() => settlePermits(schema.db, wrong)).toThrow(/without I\/O/);
  });
});
