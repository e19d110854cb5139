import { type CredentialGenerationId, type EffectId, SendToken } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  refusedForNow,
  registered,
  sending,
  settlement,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import type { Db } from '@connector/platform/db/db';
import { createEffectsOfFeed } from './create-effects.tx';
import { grant, type Grant } from './grant.tx';
import { settlePermits } from './settle-permits.tx';
import { startSending } from './start-sending.tx';

let schema: TestSchema;
let served: ServedAccount;
let holder: TestHolder;
let credential: CredentialGenerationId;
let effectId: EffectId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
  effectId = await authored(schema, served, 1, credential);
  await createEffectsOfFeed(schema.db, served, 1);
});
afterAll(() => schema.close());

function ask(db: Db = schema.db): Promise<Grant> {
  const candidates = { effectIds: [effectId], credentialGenerationIds: [credential] };
  return grant(db, { basis: served, holder, slots: 10, candidates, newCommands: 0 });
}
async function rows(): Promise<readonly unknown[]> {
  const [counts] = await schema.sql(
    `SELECT (SELECT COUNT(*) FROM con_effect_attempt) AS attempts, (SELECT COUNT(*) FROM con_dispatch_permit) AS permits,
            state, attempt_count AS counted FROM con_remote_effect`,
  );
  return [Number(counts?.['attempts']), Number(counts?.['permits']), String(counts?.['state']), counts?.['counted']];
}

describe('an attempt', () => {
  it.each(['dispatching', 'remote_confirmed', 'uncertain', 'no_effect', 'finalized', 'quarantined'])(
    'not-prepared: con:ECLM-P an effect that is %s begins none',
    async (state) => {
      await schema.sql('UPDATE con_remote_effect SET state = ?', [state]);
      expect(await ask()).toMatchObject({ effects: [{ kind: 'not-prepared', state }] });
      expect(await rows()).toEqual([0, 0, state, 0]);
    },
  );

  it('not-due: con:ECLM-P an effect that rests after its last attempt begins none', async () => {
    await schema.sql('UPDATE con_remote_effect SET due_at = NOW(6) + INTERVAL 1 HOUR');
    expect(await ask()).toMatchObject({ effects: [{ kind: 'not-due' }] });
    expect(await rows()).toEqual([0, 0, 'prepared', 0]);
  });

  it('granted: con:REFF-06 con:EATT-K con:IDN-13 after a refusal that passes a further attempt of the same effect, when it is due and not before', async () => {
    const [permit] = (await granted(schema.db, served, holder)) as [HeldPermit];
    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], refusedForNow(60_000)));
    expect(await ask()).toMatchObject({ effects: [{ kind: 'not-due' }] });
    await schema.sql('UPDATE con_remote_effect SET due_at = NOW(6)');
    expect(await ask()).toMatchObject({ effects: [{ kind: 'granted', effectId, attemptOrdinal: 2 }] });
    expect(await rows()).toEqual([2, 2, 'dispatching', 2]);
    const [same] = await schema.sql(
      `SELECT COUNT(DISTINCT p.request_digest) AS requests, COUNT(DISTINCT c.provider_key) AS keys_used
         FROM con_dispatch_permit p JOIN run_outbound_command c ON c.outbound_command_id = p.effect_id`,
    );
    expect(same).toEqual({ requests: '1', keys_used: '1' });
  });

  it.each(['insert con_dispatch_permit', 'update con_remote_effect#dispatch', 'commit'])(
    'reclaimed: con:ECLM-O con:CRASH-18 con:ECLM-P killed at %s the attempt is gone with its permit, and the next one has its ordinal',
    async (step) => {
      const dying = schema.another((at) => {
        if (at.step === step) throw new Error(`killed at ${at.point}`);
      });
      await expect(ask(dying)).rejects.toMatchObject({ code: 'HOUSE:db:Unmapped' });
      expect(await rows()).toEqual([0, 0, 'prepared', 0]);
      expect(await ask()).toMatchObject({ effects: [{ kind: 'granted', attemptOrdinal: 1 }] });
      expect(await rows()).toEqual([1, 1, 'dispatching', 1]);
    },
  );
});

describe('a permit that was just granted', () => {
  it('granted: con:PACQ-O it names the holder and its fence, and is no right to send yet', async () => {
    const answer = await ask();
    const [given] = answer.kind === 'decided' ? answer.effects : [];
    if (given?.kind !== 'granted') throw new Error(`expected granted, found ${given?.kind}`);
    const [row] = await schema.sql('SELECT * FROM con_dispatch_permit');
    expect([String(row?.['holder_id']), BigInt(String(row?.['holder_fence']))]).toEqual([holder.holderId, holder.holderFence]);
    expect([String(row?.['state']), row?.['io_may_have_started'], row?.['send_token']]).toEqual(['granted', 0, null]);
    const token = SendToken.mint();
    const settled = await settlePermits(schema.db, settlement(served, holder, token, [given], CONFIRMED));
    expect(settled).toEqual([{ kind: 'not-sending', state: 'granted' }]);
    const other = await registered(schema, 'egress-2');
    const send = { credentialGenerationId: credential, sendToken: token, permits: [given] };
    expect(await startSending(schema.db, { ...other, ...send })).toEqual([{ kind: 'holder-fenced-off' }]);
    expect(await startSending(schema.db, { ...holder, ...send })).toEqual([{ kind: 'sending' }]);
  });
});
