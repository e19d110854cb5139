import type { AccountName } from '@connector/kernel/brand';
import { type CredentialGenerationId, EffectId, OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  registered,
  sending,
  settlement,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import type { CallEvidence } from '../../model/outbound/evidence';
import { confirmedEffects } from '../../reads/outbound/confirmed-effects';
import { finalizeEffects, type FinalizeBatch, type FinalizeEffect } from './finalize-effects.tx';
import { settlePermits } from './settle-permits.tx';

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

/** Effects confirmed with these remote identities, in feed order. */
async function confirmed(...identities: readonly (string | null)[]): Promise<readonly EffectId[]> {
  const held = await permits(identities.length);
  const token = await sending(schema.db, holder, credential, held);
  const batch = settlement(served, holder, token, held, CONFIRMED);
  const evidence = (index: number): CallEvidence => ({ ...CONFIRMED, remoteIdentity: identities[index] ?? null });
  const settlements = batch.settlements.map((one, index) => ({ ...one, evidence: evidence(index) }));
  await settlePermits(schema.db, { ...batch, settlements });
  return held.map(({ effectId }) => effectId);
}
async function finalize(effectIds: readonly EffectId[], over: Partial<FinalizeBatch> = {}): Promise<readonly FinalizeEffect[]> {
  return finalizeEffects(schema.db, { operationId: OperationId.mint(), account: served.account, effectIds, ...over });
}
async function effects(): Promise<readonly string[]> {
  const rows = await schema.sql(
    'SELECT e.state, e.reason, e.finalize_account FROM con_remote_effect e JOIN run_outbound_command c ON c.outbound_command_id = e.effect_id ORDER BY c.feed_seq',
  );
  return rows.map((row) => `${String(row['state'])} ${String(row['reason'])} ${String(row['finalize_account'])}`);
}
const links = async (): Promise<readonly string[]> =>
  (
    await schema.sql(
      'SELECT remote_identity, active_remote = remote_identity AND active_slot = owner_slot AS active, state FROM con_remote_link',
    )
  ).map((row) => `${String(row['remote_identity'])} ${String(row['active'])} ${String(row['state'])}`);

describe('finalize-effects', () => {
  it('finalized: con:FIN-W con:REFF-11 con:LINK-W a proven remote record gets one active link', async () => {
    const ids = await confirmed('thing/1');
    expect(await finalize(ids)).toEqual([{ kind: 'finalized' }]);
    expect(await effects()).toEqual(['finalized null null']);
    expect(await links()).toEqual(['thing/1 1 active']);
    const [slot] = await schema.sql(
      'SELECT l.owner_slot = CONCAT(LOWER(HEX(c.effect_root)), ?, c.effect_slot) AS same FROM con_remote_link l JOIN run_outbound_command c',
      [Buffer.from('/')],
    );
    expect(slot).toEqual({ same: 1 });
  });

  it('finalized: con:FIN-W an effect that proved no remote record is finished without a link', async () => {
    expect(await finalize(await confirmed(null))).toEqual([{ kind: 'finalized' }]);
    expect(await links()).toEqual([]);
  });

  it.each(['v2_halted', 'halting_v2'])('finalized: con:FIN-O con:CRASH-24 resumes in %s, from evidence alone', async (mode) => {
    const ids = await confirmed('thing/1');
    await schema.sql('UPDATE con_serving_gate SET mode = ?, fence = fence + 1', [mode]);
    expect(await confirmedEffects(schema.db, served.account, 50)).toEqual(ids);
    expect(await finalize(ids)).toEqual([{ kind: 'finalized' }]);
    expect(await confirmedEffects(schema.db, served.account, 50)).toEqual([]);
  });

  it('link-conflict: con:FIN-X con:OPEN-27 a remote record of another slot fails closed and is shown', async () => {
    const ids = await confirmed('thing/1', 'thing/1');
    const [first, second] = ids as [EffectId, EffectId];
    await finalize([first]);
    expect(await finalize([second])).toEqual([{ kind: 'link-conflict' }]);
    expect(await effects()).toEqual(['finalized null null', 'remote_confirmed LINK_CONFLICT null']);
    expect(await links()).toEqual(['thing/1 1 active']);
    expect(await finalize([second])).toEqual([{ kind: 'link-conflict' }]);
  });

  it('link-conflict: of two effects of one batch that want one remote record the first has it', async () => {
    const ids = await confirmed('thing/1', 'thing/1', 'thing/2');
    expect((await finalize(ids)).map(({ kind }) => kind)).toEqual(['finalized', 'link-conflict', 'finalized']);
  });

  it('link-conflict: con:OPEN-27 a slot that is linked to another remote record fails closed', async () => {
    const ids = await confirmed('thing/1');
    await finalize(ids);
    await schema.sql("UPDATE con_remote_effect SET state = 'remote_confirmed', finalize_account = account");
    await schema.sql("UPDATE con_remote_link SET remote_identity = 'thing/9', active_remote = 'thing/9'");
    expect(await finalize(ids)).toEqual([{ kind: 'link-conflict' }]);
  });

  it('finalized: the very same link is no conflict and is not written twice', async () => {
    const ids = await confirmed('thing/1');
    await finalize(ids);
    await schema.sql("UPDATE con_remote_effect SET state = 'remote_confirmed', finalize_account = account");
    expect(await finalize(ids)).toEqual([{ kind: 'finalized' }]);
    expect(await links()).toHaveLength(1);
  });

  it('finalized: a retired link and a link of another account are not in the way', async () => {
    const ids = await confirmed('thing/1', 'thing/2');
    const [first, second] = ids as [EffectId, EffectId];
    await finalize([first]);
    await schema.sql("UPDATE con_remote_link SET state = 'retired', active_slot = NULL, active_remote = NULL");
    await schema.sql("UPDATE con_effect_evidence SET remote_identity = 'thing/1'");
    expect(await finalize([second])).toEqual([{ kind: 'finalized' }]);
    await schema.sql("UPDATE con_remote_link SET account = 'north/other'");
    await schema.sql("UPDATE con_remote_effect SET state = 'remote_confirmed', finalize_account = account WHERE effect_id = ?", [
      EffectId.bytes(first),
    ]);
    expect(await finalize([first])).toEqual([{ kind: 'finalized' }]);
  });

  it.each(['prepared', 'dispatching', 'uncertain', 'no_effect', 'quarantined'])(
    'not-confirmed: con:FIN-P con:NEG-REFF an effect that is %s is not finalized',
    async (state) => {
      const ids = await confirmed('thing/1');
      await schema.sql('UPDATE con_remote_effect SET state = ?, finalize_account = NULL', [state]);
      expect(await finalize(ids)).toEqual([{ kind: 'not-confirmed', state }]);
      expect(await effects()).toEqual([`${state} null null`]);
      expect(await links()).toEqual([]);
    },
  );

  it('proof-missing: con:FIN-P evidence of an earlier attempt, or other evidence of the last one, proves nothing', async () => {
    const ids = await confirmed('thing/1');
    await schema.sql('UPDATE con_remote_effect SET attempt_count = 2');
    expect(await finalize(ids)).toEqual([{ kind: 'proof-missing' }]);
    await schema.sql('UPDATE con_remote_effect SET attempt_count = 1');
    await schema.sql("UPDATE con_effect_evidence SET outcome = 'uncertain'");
    expect(await finalize(ids)).toEqual([{ kind: 'proof-missing' }]);
    expect(await links()).toEqual([]);
  });

  it('not-found: no such effect, or one of another account', async () => {
    const ids = await confirmed('thing/1');
    expect(await finalize([EffectId.of(Buffer.alloc(16))])).toEqual([{ kind: 'not-found' }]);
    await serveAccounts(schema, ['north/x']);
    expect(await finalize(ids, { account: 'north/x' as AccountName })).toEqual([{ kind: 'not-found' }]);
    expect(await effects()).toEqual(['remote_confirmed null north/acme']);
  });

  it('finalized: con:FIN-O the same operation again answers as before and writes nothing', async () => {
    const ids = await confirmed('thing/1', 'thing/1');
    const operationId = OperationId.mint();
    const first = await finalize(ids, { operationId });
    expect(await finalize(ids, { operationId })).toEqual(first);
    expect(await finalize(ids)).toEqual(first);
    expect(await links()).toHaveLength(1);
    expect(await schema.sql("SELECT COUNT(*) AS n FROM con_audit_outbox WHERE door = 'finalize-effects'")).toEqual([{ n: '1' }]);
  });
});
