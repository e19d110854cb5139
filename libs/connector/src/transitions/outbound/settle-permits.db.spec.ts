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
  refusedForNow,
  REFUSED,
  registered,
  sending,
  settlement,
  THREE_TRIES,
  UNCERTAIN,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { nextAttemptMs, spreadOf } from '../../model/outbound/backoff';
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
    `SELECT state, reason, attempt_count, ready_account, finalize_account, TIMESTAMPDIFF(MICROSECOND, changed_at, due_at) / 1e3 AS wait
     FROM con_remote_effect`,
  );
  return row && { ...row, state: String(row['state']), reason: row['reason'] && String(row['reason']), wait: Number(row['wait']) };
}
/** What its evidence says of the next attempt, ms. */
const retryMs = async (): Promise<unknown> => (await schema.sql('SELECT retry_ms FROM con_effect_evidence'))[0]?.['retry_ms'];
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

  it('settled: con:REFF-06 con:CRASH-22 a call that never began is prepared again within the backoff, by the clock of the database', async () => {
    const { held, token } = await sent();
    expect(await settle(settlement(served, holder, token, held, NO_IO))).toEqual([{ kind: 'settled', effect: 'prepared' }]);
    const wait = nextAttemptMs(THREE_TRIES, 1, 0, spreadOf((held[0] as HeldPermit).permitId));
    expect(await effect()).toMatchObject({ state: 'prepared', reason: null, attempt_count: 1, ready_account: ACCOUNT, wait });
    expect(wait).toBeLessThanOrEqual(60_000);
    expect(await retryMs()).toBe(wait);
    expect(await raised()).toEqual(['effect']);
  });

  it('settled: con:REFF-06 a refusal that passes is prepared again, not before the provider asked, and within the backoff after that', async () => {
    const { held, token } = await sent();
    expect(await settle(settlement(served, holder, token, held, refusedForNow(90_000)))).toEqual([{ kind: 'settled', effect: 'prepared' }]);
    const wait = nextAttemptMs(THREE_TRIES, 1, 90_000, spreadOf((held[0] as HeldPermit).permitId));
    expect(await effect()).toMatchObject({ state: 'prepared', reason: null, ready_account: ACCOUNT, wait });
    expect([(wait ?? 0) >= 90_000, (wait ?? 0) <= 150_000]).toEqual([true, true]);
    expect(await raised()).toEqual(['effect']);
  });

  it('settled: con:REFF-06 a provider that asks for nothing, or for less, makes no wait shorter than the backoff says', async () => {
    const { held, token } = await sent(2);
    const [one, two] = held as [HeldPermit, HeldPermit];
    for (const [permit, asked] of [
      [one, 0],
      [two, 1],
    ] as const)
      await settle(settlement(served, holder, token, [permit], refusedForNow(asked)));
    const waits = await schema.sql('SELECT retry_ms FROM con_effect_evidence ORDER BY detail');
    const backoff = ({ permitId }: HeldPermit) => nextAttemptMs(THREE_TRIES, 1, 0, spreadOf(permitId)) ?? 0;
    expect(waits.map((row) => row['retry_ms'])).toEqual([backoff(one), backoff(two) + 1]);
  });

  it('settled: con:REFF-06 a provider that asks for longer than the longest backoff is not asked earlier', async () => {
    await settled(refusedForNow(86_400_000), { ...THREE_TRIES, backoff: { firstMs: 1, factor: 1, capMs: 2_000 } });
    expect([86_400_000, 86_400_001]).toContain(await retryMs());
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
    const wait = nextAttemptMs(THREE_TRIES, 2, 0, spreadOf((held[0] as HeldPermit).permitId));
    expect(await effect()).toMatchObject({ state: 'prepared', attempt_count: 2, wait });
  });

  it.each([NO_IO, refusedForNow(0), refusedForNow(90_000)])(
    'settled: con:REFF-05 con:CRASH-22 no effect is the end when no attempt is left, and the row says so',
    async (evidence) => {
      expect(await settled(evidence, { ...THREE_TRIES, attemptsMax: 1 })).toEqual([{ kind: 'settled', effect: 'no_effect' }]);
      expect(await effect()).toMatchObject({ state: 'no_effect', reason: 'ATTEMPTS_EXHAUSTED', ready_account: null });
      expect(await retryMs()).toBeNull();
      expect(await raised()).toEqual([]);
    },
  );

  it('settled: con:REFF-05 a refusal that the frozen profile calls final is the end, however many attempts are left', async () => {
    expect(await settled(REFUSED)).toEqual([{ kind: 'settled', effect: 'no_effect' }]);
    expect(await effect()).toMatchObject({ state: 'no_effect', reason: 'PROVIDER_REFUSED', attempt_count: 1, ready_account: null });
    expect(await raised()).toEqual([]);
  });

  it.each(['halting_v2', 'v2_halted', 'v2_serving'])('settled: con:SETL-P con:CRASH-20 legal in %s', async (mode) => {
    const { held, token } = await sent();
    await schema.sql('UPDATE con_serving_gate SET mode = ?, fence = fence + 1', [mode]);
    expect(await settle(settlement(served, holder, token, held, CONFIRMED))).toEqual([{ kind: 'settled', effect: 'remote_confirmed' }]);
    expect(await raised()).toEqual(mode === 'halting_v2' ? ['finalize', 'halt'] : ['finalize']);
  });

  it.each([CONFIRMED, UNCERTAIN, NO_IO, REFUSED, refusedForNow(5_000)])(
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

  it('settled: con:SETL-O run again because its COMMIT never came, it comes to the same wait', async () => {
    const { held, token } = await sent();
    const batch = settlement(served, holder, token, held, refusedForNow(5_000));
    const dying = schema.another((at) => {
      if (at.step === 'commit') throw new Error(`killed at ${at.point}`);
    });
    await expect(settlePermits(dying, batch)).rejects.toMatchObject({ code: 'HOUSE:db:Unmapped' });
    expect(await retryMs()).toBeUndefined();
    await settle(batch);
    expect(await retryMs()).toBe(nextAttemptMs(THREE_TRIES, 1, 5_000, spreadOf((held[0] as HeldPermit).permitId)));
  });

  it('already-settled-otherwise: con:SETL-X another wish of the provider is other evidence, and the wait stays', async () => {
    const { held, token } = await sent();
    await settle(settlement(served, holder, token, held, refusedForNow(5_000)));
    const before = await effect();
    const other = { ...refusedForNow(5_000), againAfterMs: 60_000 };
    expect(await settle(settlement(served, holder, token, held, other))).toEqual([{ kind: 'already-settled-otherwise' }]);
    expect(await effect()).toEqual(before);
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

  it('token-differs, holder-fenced-off: con:SETL-X who is not the witness makes nothing due again', async () => {
    const { held, token } = await sent();
    const batch = settlement(served, holder, token, held, refusedForNow(0));
    expect(await settle(settlement(served, holder, SendToken.mint(), held, refusedForNow(0)))).toEqual([{ kind: 'token-differs' }]);
    expect(await settle({ ...batch, holderFence: 6n as HolderFence })).toEqual([{ kind: 'holder-fenced-off' }]);
    expect(await effect()).toMatchObject({ state: 'dispatching', ready_account: null });
    expect(await raised()).toEqual([]);
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
    const { held, token } = await sent(6);
    const evidence = [CONFIRMED, UNCERTAIN, NO_IO, REFUSED, refusedForNow(1_000), refusedForNow(2_000)];
    const batch = settlement(served, holder, token, held, CONFIRMED);
    const spent = { ...THREE_TRIES, attemptsMax: 1 };
    const settlements = batch.settlements.map((one, index) => ({
      ...{ ...one, evidence: evidence[index] as CallEvidence },
      policy: index === 5 ? spent : THREE_TRIES,
    }));
    const effects = (await settle({ ...batch, settlements })).map((answer) => answer.kind === 'settled' && answer.effect);
    expect(effects).toEqual(['remote_confirmed', 'uncertain', 'prepared', 'no_effect', 'prepared', 'no_effect']);
    const states = await schema.sql('SELECT COUNT(DISTINCT state) AS states, COUNT(ready_account) AS ready FROM con_remote_effect');
    expect(states).toEqual([{ states: '4', ready: '2' }]);
    const reasons = await schema.sql('SELECT reason FROM con_remote_effect WHERE reason IS NOT NULL ORDER BY reason');
    expect(reasons.map((row) => String(row['reason']))).toEqual(['ATTEMPTS_EXHAUSTED', 'PROVIDER_REFUSED']);
  });

  it('refused: evidence that contradicts itself never reaches the database', () => {
    const batch = settlement(served, holder, SendToken.mint(), [], CONFIRMED);
    const one = { permitId: PermitId.mint(), effectId: null as never, sendToken: SendToken.mint(), policy: THREE_TRIES };
    const wrong = { ...batch, settlements: [{ ...one, evidence: { ...CONFIRMED, ioStarted: false } }] };
    expect(() => settlePermits(schema.db, wrong)).toThrow(/without I\/O/);
  });
});
