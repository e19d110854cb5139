import { type CredentialGenerationId, OperationId, SendToken } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { decided } from '@connector/testing/fixtures/credential';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  inOrder,
  isolated,
  registered,
  sending,
  settlement,
  terminated,
  UNCERTAIN,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { grantCandidates } from '../../reads/outbound/grant-candidates';
import { haltGate } from '../serving/halt-gate.tx';
import { revokeCredential } from '../serving/revoke-credential.tx';
import { abandonPermits, type AbandonPermit } from './abandon-permits.tx';
import { grant, type Grant } from './grant.tx';
import { settlePermits, type SettlePermit } from './settle-permits.tx';
import { startSending } from './start-sending.tx';

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

async function asker(on: TestHolder): Promise<(db: Db) => Promise<Grant>> {
  const candidates = await grantCandidates(schema.db, served.account, 100);
  return (db) => grant(db, { basis: served, holder: on, slots: 10, candidates, newCommands: 200 });
}
const halt = (db: Db) =>
  haltGate(db, { operationId: OperationId.mint(), account: served.account, expectedFence: served.fence, by: 'test', reason: 'test' });
const HALT = 'halt-gate/lock con_serving_gate';
const GRANT = 'grant/lock con_serving_gate';

describe('acquire and halt', () => {
  it('granted: con:CRASH-20 an acquisition that commits first leaves its permit open under the halting gate', async () => {
    await authored(schema, served, 1, credential);
    const [answer, halted] = await inOrder(schema, { first: 'grant/commit', second: HALT }, await asker(holder), halt);
    expect(answer).toMatchObject({ effects: [{ kind: 'granted' }] });
    expect(halted).toMatchObject({ kind: 'halting' });
    expect(await schema.sql('SELECT COUNT(open_account) AS n FROM con_dispatch_permit')).toEqual([{ n: '1' }]);
  });

  it('not-serving: con:PACQ-X a halt that commits first lets nothing be granted', async () => {
    await authored(schema, served, 1, credential);
    const [halted, answer] = await inOrder(schema, { first: 'halt-gate/commit', second: GRANT }, halt, await asker(holder));
    expect(halted).toMatchObject({ kind: 'halting' });
    expect(answer).toEqual({ kind: 'not-serving', mode: 'halting_v2' });
    expect(await schema.sql('SELECT * FROM con_dispatch_permit')).toEqual([]);
    expect(await schema.sql('SELECT * FROM con_remote_effect')).toEqual([]);
  });
});

const REVOKE = 'revoke-credential/lock con_credential_gate';

describe('acquire and revoke', () => {
  it('granted: con:REV-L con:CGATE-R con:CRASH-19 an acquisition that commits first leaves a permit that never sends', async () => {
    await authored(schema, served, 1, credential);
    const move = await decided(schema, served.account, credential, 'revoke');
    const [answer, revoked] = await inOrder(schema, { first: 'grant/commit', second: REVOKE }, await asker(holder), (db) =>
      revokeCredential(db, move),
    );
    expect(answer).toMatchObject({ effects: [{ kind: 'granted', credentialFence: 3n }] });
    expect(revoked).toMatchObject({ kind: 'revoked', fence: 4n });
    const permits = answer.kind === 'decided' ? answer.effects.flatMap((effect) => (effect.kind === 'granted' ? [effect] : [])) : [];
    expect(await startSending(schema.db, { ...holder, credentialGenerationId: credential, sendToken: SendToken.mint(), permits })).toEqual([
      { kind: 'credential-revoked' },
    ]);
  });

  it('credential-revoked: con:REV-O con:PACQ-X con:CRASH-19 a revocation that commits first lets nothing be granted', async () => {
    await authored(schema, served, 1, credential);
    const move = await decided(schema, served.account, credential, 'revoke');
    const points = { first: 'revoke-credential/commit', second: 'grant/lock con_credential_gate' };
    const [revoked, answer] = await inOrder(schema, points, (db) => revokeCredential(db, move), await asker(holder));
    expect(revoked).toMatchObject({ kind: 'revoked' });
    expect(answer).toMatchObject({ effects: [{ kind: 'credential-revoked' }] });
    expect(await schema.sql('SELECT * FROM con_dispatch_permit')).toEqual([]);
  });
});

describe('abandon and start-sending under a moved credential fence', () => {
  it.each(['send', 'abandon'])('con:REV-O the permit is refused and closed as unsent, whoever is first (%s)', async (first) => {
    const held = await permits();
    await revokeCredential(schema.db, await decided(schema, served.account, credential, 'revoke'));
    const abandon = (db: Db) =>
      abandonPermits(db, { operationId: OperationId.mint(), account: served.account, requestedBy: 'test', permits: held });
    const send = (db: Db) =>
      startSending(db, { ...holder, credentialGenerationId: credential, sendToken: SendToken.mint(), permits: held });
    const cgate = 'lock con_credential_gate';
    if (first === 'send') {
      const answers = await inOrder(schema, { first: 'start-sending/commit', second: `abandon-permits/${cgate}` }, send, abandon);
      expect(answers).toEqual([[{ kind: 'credential-revoked' }], [{ kind: 'abandoned', effect: 'prepared' }]]);
    } else {
      const answers = await inOrder(schema, { first: 'abandon-permits/commit', second: `start-sending/${cgate}` }, abandon, send);
      expect(answers).toEqual([[{ kind: 'abandoned', effect: 'prepared' }], [{ kind: 'not-granted', state: 'abandoned' }]]);
    }
  });
});

describe('acquire and acquire', () => {
  it.each(['egress-1', 'egress-2'])('not-prepared: con:PACQ-X con:UNIQ-19 of two dispatchers one grants; %s asks first', async (name) => {
    await authored(schema, served, 1, credential);
    const nobody = { effectIds: [], credentialGenerationIds: [] };
    await grant(schema.db, { basis: served, holder, slots: 1, candidates: nobody, newCommands: 200 });
    const other = await registered(schema, 'egress-2', 1n);
    const [one, two] = name === 'egress-1' ? [holder, other] : [other, holder];
    const answers = await inOrder(schema, { first: 'grant/commit', second: GRANT }, await asker(one), await asker(two));
    expect(answers).toMatchObject([{ effects: [{ kind: 'granted' }] }, { effects: [{ kind: 'not-prepared', state: 'dispatching' }] }]);
    const [row] = await schema.sql('SELECT COUNT(*) AS n, MIN(holder_id) AS holder FROM con_dispatch_permit');
    expect(row).toEqual({ n: '1', holder: Buffer.from(name) });
  });

  it('decided: con:EMAT-O two dispatchers turn the feed into one effect each command', async () => {
    for (const sequence of [1, 2, 3]) await authored(schema, served, sequence, credential);
    const other = await registered(schema, 'egress-2', 1n);
    const answers = await inOrder(schema, { first: 'grant/commit', second: GRANT }, await asker(holder), await asker(other));
    expect(answers).toMatchObject([{ created: 3 }, { created: 0 }]);
    expect(await schema.sql('SELECT COUNT(*) AS n FROM con_remote_effect')).toEqual([{ n: '3' }]);
  });

  it('no-slot: con:OPEN-29 two accounts that grant to one holder together stay within its slots', async () => {
    const [, other] = (await serveAccounts(schema, ['north/x', 'north/y'])) as [ServedAccount, ServedAccount];
    await authored(schema, served, 1, credential);
    await authored(schema, other, 1, credential);
    const ask = (account: ServedAccount) => (db: Db) =>
      grant(db, {
        basis: account,
        holder,
        slots: 1,
        candidates: { effectIds: [], credentialGenerationIds: [credential] },
        newCommands: 200,
      });
    const answers = await inOrder(schema, { first: 'grant/commit', second: GRANT }, ask(served), ask(other));
    expect(answers).toMatchObject([{ effects: [{ kind: 'granted' }] }, { effects: [{ kind: 'no-slot' }] }]);
  });
});

const SETTLE = 'settle-permits/lock con_serving_gate';
const ABANDON = 'abandon-permits/lock con_serving_gate';

describe('settle and settle', () => {
  it.each([
    [CONFIRMED, UNCERTAIN],
    [UNCERTAIN, CONFIRMED],
  ])('already-settled-otherwise: con:SETL-O con:PRMT-03 the first evidence to commit stands (%#)', async (first, second) => {
    const held = await permits();
    const token = await sending(schema.db, holder, credential, held);
    const settle =
      (evidence: typeof CONFIRMED) =>
      (db: Db): Promise<readonly SettlePermit[]> =>
        settlePermits(db, settlement(served, holder, token, held, evidence));
    const answers = await inOrder(schema, { first: 'settle-permits/commit', second: SETTLE }, settle(first), settle(second));
    expect(answers).toEqual([[{ kind: 'settled', effect: first.outcome }], [{ kind: 'already-settled-otherwise' }]]);
    expect(await schema.sql('SELECT state FROM con_remote_effect')).toEqual([{ state: Buffer.from(first.outcome) }]);
  });

  it('settled: con:SETL-O the same evidence twice at once is one settlement', async () => {
    const held = await permits();
    const token = await sending(schema.db, holder, credential, held);
    const settle = (db: Db): Promise<readonly SettlePermit[]> => settlePermits(db, settlement(served, holder, token, held, CONFIRMED));
    const answers = await inOrder(schema, { first: 'settle-permits/commit', second: SETTLE }, settle, settle);
    expect(answers[1]).toEqual(answers[0]);
    expect(await schema.sql('SELECT * FROM con_effect_evidence')).toHaveLength(1);
  });
});

describe('abandon and settle', () => {
  async function sent(): Promise<{
    readonly abandon: (db: Db) => Promise<readonly AbandonPermit[]>;
    readonly settle: (db: Db) => Promise<readonly SettlePermit[]>;
  }> {
    const held = await permits();
    const token = await sending(schema.db, holder, credential, held);
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    const batch = { operationId: OperationId.mint(), account: served.account, requestedBy: 'test', permits: held };
    return {
      abandon: (db) => abandonPermits(db, batch),
      settle: (db) => settlePermits(db, settlement(served, holder, token, held, CONFIRMED)),
    };
  }

  it('not-sending: con:SETL-X con:PRMT-04 an abandonment that commits first leaves the late settlement refused', async () => {
    const { abandon, settle } = await sent();
    const answers = await inOrder(schema, { first: 'abandon-permits/commit', second: SETTLE }, abandon, settle);
    expect(answers).toEqual([[{ kind: 'abandoned', effect: 'uncertain' }], [{ kind: 'not-sending', state: 'abandoned' }]]);
  });

  it('already-returned: con:ABN-P con:PRMT-03 a settlement that commits first leaves nothing to abandon', async () => {
    const { abandon, settle } = await sent();
    const answers = await inOrder(schema, { first: 'settle-permits/commit', second: ABANDON }, settle, abandon);
    expect(answers).toEqual([[{ kind: 'settled', effect: 'remote_confirmed' }], [{ kind: 'already-returned' }]]);
  });
});

describe('abandon and start-sending', () => {
  it.each(['send', 'abandon'])('con:CRASH-28 con:PRMT-02 the permit is sent or proved unsent, never both (%s first)', async (first) => {
    const held = await permits();
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    const batch = { operationId: OperationId.mint(), account: served.account, requestedBy: 'test', permits: held };
    const abandon = (db: Db) => abandonPermits(db, batch);
    const send = (db: Db) =>
      startSending(db, { ...holder, credentialGenerationId: credential, sendToken: SendToken.mint(), permits: held });
    if (first === 'send') {
      const points = { first: 'start-sending/commit', second: ABANDON };
      const answers = await inOrder(schema, points, send, abandon);
      expect(answers).toEqual([[{ kind: 'sending' }], [{ kind: 'abandoned', effect: 'uncertain' }]]);
    } else {
      const points = { first: 'abandon-permits/commit', second: 'start-sending/lock con_credential_gate' };
      const answers = await inOrder(schema, points, abandon, send);
      expect(answers).toEqual([[{ kind: 'abandoned', effect: 'prepared' }], [{ kind: 'not-granted', state: 'abandoned' }]]);
    }
  });
});
