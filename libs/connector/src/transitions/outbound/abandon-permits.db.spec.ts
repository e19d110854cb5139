import type { AccountName } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';
import { type CredentialGenerationId, IsolationId, OperationId, PermitId, TerminationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  enabledCredential,
  granted,
  isolated,
  registered,
  sending,
  terminated,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { abandonPermits, type AbandonBatch, type AbandonPermit } from './abandon-permits.tx';

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

async function abandon(held: readonly HeldPermit[], over: Partial<AbandonBatch> = {}): Promise<readonly AbandonPermit[]> {
  const operationId = OperationId.mint();
  return abandonPermits(schema.db, { operationId, account: served.account, requestedBy: 'operator', permits: held, ...over });
}
async function proved(generationId = holder.generationId): Promise<void> {
  await terminated(schema, generationId);
  await isolated(schema, generationId);
}
async function state(): Promise<string> {
  const [row] = await schema.sql(
    `SELECT p.state AS permit, p.open_account IS NULL AS closed, e.state AS effect, e.attempt_count AS attempts, e.ready_account IS NOT NULL AND e.due_at <= NOW(6) AS due
     FROM con_dispatch_permit p JOIN con_remote_effect e ON e.effect_id = p.effect_id`,
  );
  return ['permit', 'closed', 'effect', 'attempts', 'due'].map((column) => String(row?.[column])).join(' ');
}
const raised = async (): Promise<readonly string[]> =>
  (await schema.sql('SELECT stage FROM con_account_work WHERE produced > 0 ORDER BY stage')).map((row) => String(row['stage']));
const UNTOUCHED = 'granted 0 dispatching 1 0';

describe('abandon-permits', () => {
  it('abandoned: con:ABN-W con:PRMT-02 con:REFF-06 con:CRASH-28 a granted permit proves that no byte left; its effect is due at once', async () => {
    const held = await permits();
    const terminationId = await terminated(schema, holder.generationId);
    const isolationId = await isolated(schema, holder.generationId);
    expect(await abandon(held)).toEqual([{ kind: 'abandoned', effect: 'prepared' }]);
    expect(await state()).toBe('abandoned 1 prepared 1 1');
    expect(await raised()).toEqual(['effect']);
    const [evidence] = await schema.sql('SELECT source, outcome, io_started, termination_id, isolation_id FROM con_effect_evidence');
    expect(evidence).toMatchObject({ source: Buffer.from('abandonment'), outcome: Buffer.from('no_effect'), io_started: 0 });
    expect(evidence).toMatchObject({ termination_id: TerminationId.bytes(terminationId), isolation_id: IsolationId.bytes(isolationId) });
  });

  it('abandoned: con:PRMT-04 con:REFF-04 con:CRASH-21 con:CRASH-34 a sending permit leaves its effect uncertain', async () => {
    const held = await permits();
    await sending(schema.db, holder, credential, held);
    await proved();
    expect(await abandon(held)).toEqual([{ kind: 'abandoned', effect: 'uncertain' }]);
    expect(await state()).toBe('abandoned 1 uncertain 1 0');
    expect(await schema.sql('SELECT outcome, io_started FROM con_effect_evidence')).toEqual([
      { outcome: Buffer.from('uncertain'), io_started: 1 },
    ]);
    expect(await raised()).toEqual([]);
  });

  it('abandoned: con:ABN-O con:CRASH-20 while the gate halts, the one who concludes it is told', async () => {
    const held = await permits();
    await proved();
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2', fence = fence + 1");
    expect(await abandon(held)).toEqual([{ kind: 'abandoned', effect: 'prepared' }]);
    expect(await raised()).toEqual(['effect', 'halt']);
  });

  it('termination-missing: con:ABN-P con:ABN-X isolation alone leaves the permit open', async () => {
    const held = await permits();
    await isolated(schema, holder.generationId);
    expect(await abandon(held)).toEqual([{ kind: 'termination-missing', generationId: holder.generationId }]);
    expect(await state()).toBe(UNTOUCHED);
    expect(await schema.sql('SELECT * FROM con_operation')).toEqual([]);
  });

  it('isolation-missing: con:ABN-P con:ABN-X con:CRASH-28 termination alone leaves the permit open', async () => {
    const held = await permits();
    await terminated(schema, holder.generationId);
    expect(await abandon(held)).toEqual([{ kind: 'isolation-missing', generationId: holder.generationId }]);
    expect(await state()).toBe(UNTOUCHED);
  });

  it('termination-missing: con:OPEN-29 receipts of the next generation of the same name prove nothing of the one before', async () => {
    const held = await permits();
    const next = await registered(schema, 'egress-1', 6n);
    await proved(next.generationId);
    expect(await abandon(held)).toEqual([{ kind: 'termination-missing', generationId: holder.generationId }]);
    expect(await state()).toBe(UNTOUCHED);
  });

  it.each(['before', 'after'])(
    'termination-missing: con:OPEN-29 of two generations of one name only the proved one loses its permit (the one %s)',
    async (which) => {
      const [one] = (await permits()) as [HeldPermit];
      const next = await registered(schema, 'egress-1', 6n);
      await authored(schema, served, 2, credential);
      const [two] = (await granted(schema.db, served, next)) as [HeldPermit];
      await proved(which === 'before' ? holder.generationId : next.generationId);
      const missing = { kind: 'termination-missing', generationId: which === 'before' ? next.generationId : holder.generationId };
      const gone = { kind: 'abandoned', effect: 'prepared' };
      expect(await abandon([one, two])).toEqual(which === 'before' ? [gone, missing] : [missing, gone]);
    },
  );

  it.each(['revoked', 'enabled'])(
    'abandoned: con:REV-O con:REFF-06 a granted permit whose credential fence moved needs no receipt: nobody can send it (gate %s)',
    async (mode) => {
      const held = await permits();
      await schema.sql('UPDATE con_credential_gate SET mode = ?, fence = fence + 1', [mode]);
      expect(await abandon(held)).toEqual([{ kind: 'abandoned', effect: 'prepared' }]);
      expect(await state()).toBe('abandoned 1 prepared 1 1');
      const [evidence] = await schema.sql('SELECT outcome, io_started, detail, termination_id, isolation_id FROM con_effect_evidence');
      expect(evidence).toMatchObject({ outcome: Buffer.from('no_effect'), io_started: 0, termination_id: null, isolation_id: null });
      expect(String(evidence?.['detail'])).toBe('credential fence 3 moved before sending');
    },
  );

  it('termination-missing: con:REV-O con:PRMT-04 a sending permit is not closed by a credential fence that moved', async () => {
    const held = await permits();
    await sending(schema.db, holder, credential, held);
    await schema.sql("UPDATE con_credential_gate SET mode = 'revoked', fence = fence + 1");
    expect(await abandon(held)).toEqual([{ kind: 'termination-missing', generationId: holder.generationId }]);
    expect(await state()).toBe('sending 0 dispatching 1 0');
  });

  it('termination-missing: con:ABN-X a credential gate that is missing, or under the fence of the permit, closes nothing', async () => {
    const held = await permits();
    expect(await abandon(held)).toEqual([{ kind: 'termination-missing', generationId: holder.generationId }]);
    await schema.sql('DELETE FROM con_credential_gate');
    expect(await abandon(held)).toEqual([{ kind: 'termination-missing', generationId: holder.generationId }]);
    expect(await state()).toBe(UNTOUCHED);
  });

  it('not-found: a permit of another credential generation than the one that was named', async () => {
    const held = await permits();
    await schema.sql('UPDATE con_credential_gate SET fence = fence + 1');
    const other = await enabledCredential(schema);
    expect(await abandon(held.map((permit) => ({ ...permit, credentialGenerationId: other })))).toEqual([{ kind: 'not-found' }]);
    expect(await state()).toBe(UNTOUCHED);
  });

  it('holder-unknown: a holder fence that no generation registered is never abandoned', async () => {
    const held = await permits();
    await proved();
    await schema.sql('UPDATE con_dispatch_permit SET holder_fence = 4');
    expect(await abandon(held)).toEqual([{ kind: 'holder-unknown' }]);
    expect(await state()).toBe(UNTOUCHED);
  });

  it('termination-missing: con:PRMT-05 con:CRASH-21 no passing of time closes a permit', async () => {
    const held = await permits();
    await schema.sql('UPDATE con_dispatch_permit SET granted_at = NOW(6) - INTERVAL 10 YEAR');
    await schema.sql('UPDATE con_egress_holder_generation SET registered_at = NOW(6) - INTERVAL 10 YEAR');
    expect((await abandon(held)).map(({ kind }) => kind)).toEqual(['termination-missing']);
    expect(await state()).toBe(UNTOUCHED);
  });

  it('already-returned: con:ABN-P con:NEG-PRMT a settled permit is not abandoned', async () => {
    const held = await permits();
    await proved();
    await schema.sql("UPDATE con_dispatch_permit SET state = 'returned', open_account = NULL");
    expect(await abandon(held)).toEqual([{ kind: 'already-returned' }]);
    expect(await schema.sql('SELECT * FROM con_effect_evidence')).toEqual([]);
  });

  it('not-found: an absent permit, one of another effect, another account', async () => {
    const [one, two] = (await permits(2)) as [HeldPermit, HeldPermit];
    await proved();
    const wrong = [
      { ...one, permitId: PermitId.mint() },
      { ...one, effectId: two.effectId },
    ];
    expect(await abandon(wrong)).toEqual([{ kind: 'not-found' }, { kind: 'not-found' }]);
    await serveAccounts(schema, ['north/x']);
    expect(await abandon([one], { account: 'north/x' as AccountName })).toEqual([{ kind: 'not-found' }]);
    expect(await abandon([one], { account: 'north/none' as AccountName })).toEqual([{ kind: 'not-found' }]);
  });

  it('abandoned: con:ABN-O the same operation again answers as before and writes nothing', async () => {
    const held = await permits();
    await proved();
    const operationId = OperationId.mint();
    const first = await abandon(held, { operationId });
    const before = await schema.sql('SELECT * FROM con_remote_effect');
    expect(await abandon(held, { operationId })).toEqual(first);
    expect(await abandon(held)).toEqual(first);
    expect(await schema.sql('SELECT * FROM con_remote_effect')).toEqual(before);
    expect(await schema.sql('SELECT COUNT(*) AS n FROM con_operation')).toEqual([{ n: '1' }]);
  });

  it('isolation-missing: the same operation again keeps its answer though the receipt came meanwhile', async () => {
    const [one] = (await permits()) as [HeldPermit];
    const other = await registered(schema, 'egress-2', 1n);
    await authored(schema, served, 2, credential);
    const [two] = (await granted(schema.db, served, other)) as [HeldPermit];
    await proved();
    await terminated(schema, other.generationId);
    const operationId = OperationId.mint();
    const first = await abandon([one, two], { operationId });
    expect(first.map(({ kind }) => kind)).toEqual(['abandoned', 'isolation-missing']);
    await isolated(schema, other.generationId);
    expect(await abandon([one, two], { operationId })).toEqual(first);
    expect(await abandon([two])).toEqual([{ kind: 'abandoned', effect: 'prepared' }]);
  });

  it('refused: an operation that abandoned one permit says nothing of another (con:OPEN-33)', async () => {
    const [one] = (await permits()) as [HeldPermit];
    await authored(schema, served, 2, credential);
    const [two] = (await granted(schema.db, served, holder)) as [HeldPermit];
    await proved();
    const operationId = OperationId.mint();
    await abandon([one], { operationId });
    await expect(abandon([two], { operationId })).rejects.toThrow(InputFault);
    await expect(abandon([two], { operationId })).rejects.toThrow(/was used for other items; an operation id stands for one act/);
    expect(await schema.sql('SELECT COUNT(*) AS n FROM con_dispatch_permit WHERE open_account IS NOT NULL')).toEqual([{ n: '1' }]);
  });

  it('refused: more permits than one stored answer holds', () => {
    const many = Array.from({ length: 51 }, () => ({
      permitId: PermitId.mint(),
      effectId: null as never,
      credentialGenerationId: credential,
    }));
    const batch = { operationId: OperationId.mint(), account: served.account, requestedBy: 'x', permits: many };
    expect(() => abandonPermits(schema.db, batch)).toThrow(/at most 50/);
  });

  it('termination-missing: fifty refusals of one operation fit its stored answer', async () => {
    const held = await permits(50);
    const [first] = held as [HeldPermit];
    const stranger = await registered(schema, 'egress-9', 1n);
    await schema.sql('UPDATE con_dispatch_permit SET holder_id = ?, holder_fence = 1 WHERE permit_id = ?', [
      Buffer.from('egress-9'),
      PermitId.bytes(first.permitId),
    ]);
    await proved(stranger.generationId);
    const answers = await abandon(held);
    expect(answers.map(({ kind }) => kind)).toEqual(['abandoned', ...Array.from({ length: 49 }, () => 'termination-missing')]);
  });
});
