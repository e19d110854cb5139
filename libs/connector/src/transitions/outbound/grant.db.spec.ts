import type { GateFence, HolderFence } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { CredentialGenerationId, type EffectId, EpochId, OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  CREDENTIAL_FENCE,
  enabledCredential,
  granted,
  isolated,
  registered,
  revoke,
  terminated,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { grantCandidates } from '../../reads/outbound/grant-candidates';
import { nextEffectDue } from '../../reads/outbound/next-effect-due';
import { openPermits, openPermitsOfGeneration } from '../../reads/outbound/open-permits';
import { permitsOfHolder } from '../../reads/outbound/holder-permits';
import { abandonPermits } from './abandon-permits.tx';
import { grant, type Grant, type GrantInput } from './grant.tx';

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

async function ask(over: Partial<GrantInput> = {}): Promise<Grant> {
  const candidates = over.candidates ?? (await grantCandidates(schema.db, served.account, 100));
  return grant(schema.db, { basis: served, holder, slots: 10, newCommands: 200, ...over, candidates });
}

/** Effects that are there and prepared, as an earlier round left them for want of an adapter. */
async function prepared(count: number): Promise<readonly EffectId[]> {
  const ids: EffectId[] = [];
  for (let sequence = 1; sequence <= count; sequence += 1) ids.push(await authored(schema, served, sequence, credential));
  await ask({ candidates: { effectIds: [], credentialGenerationIds: [] } });
  return ids;
}

const kinds = (answer: Grant): readonly string[] => (answer.kind === 'decided' ? answer.effects.map(({ kind }) => kind) : [answer.kind]);
const rows = async (table: string): Promise<number> => Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
async function written(): Promise<Record<string, number>> {
  const tables = ['con_remote_effect', 'con_effect_attempt', 'con_dispatch_permit', 'con_audit_outbox'];
  const counts = await Promise.all(tables.map(async (table) => [table.slice(4), await rows(table)] as const));
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

describe('grant', () => {
  it('granted: con:EMAT-W con:ECLM-W con:PACQ-W con:REFF-01 turns a new command into effect, attempt and open permit in one commit', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'decided', created: 1, effects: [{ kind: 'granted', effectId, attemptOrdinal: 1 }] });
    const [effect] = await schema.sql(
      `SELECT e.state, e.attempt_count, e.ready_account, e.finalize_account, e.logical_effect_digest = c.idempotency_key AS repeats, e.outbound_command_id = e.effect_id AS same
       FROM con_remote_effect e JOIN run_outbound_command c ON c.outbound_command_id = e.outbound_command_id`,
    );
    const dispatching = { state: Buffer.from('dispatching'), attempt_count: 1, ready_account: null, finalize_account: null };
    expect(effect).toEqual({ ...dispatching, repeats: 1, same: 1 });
    const [permit] = await schema.sql(
      'SELECT state, open_account, gate_fence, credential_fence, holder_id, holder_fence, attempt_ordinal, io_may_have_started, send_token, closed_at FROM con_dispatch_permit',
    );
    expect(permit).toEqual({
      state: Buffer.from('granted'),
      open_account: Buffer.from('north/acme'),
      gate_fence: String(served.fence),
      credential_fence: String(CREDENTIAL_FENCE),
      holder_id: Buffer.from('egress-1'),
      holder_fence: '5',
      attempt_ordinal: 1,
      io_may_have_started: 0,
      send_token: null,
      closed_at: null,
    });
    const [attempt] = await schema.sql(
      `SELECT COUNT(*) AS n FROM con_effect_attempt a JOIN run_outbound_command c ON c.outbound_command_id = a.effect_id
       WHERE a.ordinal = 1 AND a.epoch_id = c.epoch_id AND a.route_policy_digest = c.route_policy_digest AND a.request_digest = c.request_digest
         AND a.credential_generation_id = c.credential_generation_id`,
    );
    expect(attempt).toEqual({ n: '1' });
  });

  it('granted: con:UNIQ-18 a prepared effect gets its next ordinal, with the references that its command froze', async () => {
    const [effectId] = (await prepared(1)) as [EffectId];
    await schema.sql('UPDATE con_remote_effect SET attempt_count = 4');
    expect(await ask()).toMatchObject({ effects: [{ kind: 'granted', effectId, attemptOrdinal: 5 }] });
  });

  it('decided: con:EMAT-O the cursor moves over what became effects, so a command is met once', async () => {
    for (const sequence of [1, 2, 3]) await authored(schema, served, sequence, credential);
    expect(await ask({ newCommands: 2 })).toMatchObject({ created: 2 });
    expect(await ask({ newCommands: 2 })).toMatchObject({ created: 1 });
    expect(await ask({ newCommands: 2 })).toMatchObject({ created: 0 });
    expect(await schema.sql('SELECT next_seq FROM con_effect_feed')).toEqual([{ next_seq: '4' }]);
    expect(await rows('con_remote_effect')).toBe(3);
  });

  it('decided: a gap in the feed or a command that its tuple does not name stops the feed with nothing written con:EMAT-X', async () => {
    await authored(schema, served, 2, credential);
    await expect(ask()).rejects.toMatchObject({ code: 'HOUSE:connector:FeedGap' });
    await schema.sql('UPDATE run_outbound_command SET feed_seq = 1, idempotency_key = ?', [Digest.bytes(Digest.sha256(Buffer.from('x')))]);
    await expect(ask()).rejects.toMatchObject({ code: 'HOUSE:connector:CommandDigest' });
    expect(await written()).toEqual({});
  });

  it('decided: again after an unknown COMMIT grants nothing beyond the slots and the holder finds its permits', async () => {
    for (const sequence of [1, 2, 3]) await authored(schema, served, sequence, credential);
    const candidates = await grantCandidates(schema.db, served.account, 100);
    expect(kinds(await ask({ slots: 2, candidates }))).toEqual(['granted', 'granted', 'no-slot']);
    expect(kinds(await ask({ slots: 2, candidates }))).toEqual([]);
    expect(kinds(await ask({ slots: 2 }))).toEqual(['no-slot']);
    const found = await permitsOfHolder(schema.db, holder, 'granted', 10);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({
      account: 'north/acme',
      credential_generation_id: credential,
      credential_fence: CREDENTIAL_FENCE,
      attempt_ordinal: 1,
      effect_definition: 'thing/push',
    });
    expect(found.map((permit) => permit.request.toString()).sort()).toEqual(['POST /things 1', 'POST /things 2']);
  });

  it.each([
    ['halting_v2', 'not-serving'],
    ['v2_halted', 'not-serving'],
  ])('not-serving: con:PACQ-X in %s nothing is written', async (mode, kind) => {
    await authored(schema, served, 1, credential);
    await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
    expect(kinds(await ask())).toEqual([kind]);
    expect(await written()).toEqual({});
  });

  it('fence-moved: con:PACQ-X a basis from before the gate moved writes nothing', async () => {
    await authored(schema, served, 1, credential);
    expect(await ask({ basis: { ...served, fence: 6n as GateFence } })).toEqual({ kind: 'fence-moved', fence: served.fence });
    expect(await written()).toEqual({});
  });

  it('epoch-not-active: con:PACQ-X an epoch that drains writes nothing', async () => {
    await authored(schema, served, 1, credential);
    await schema.sql("UPDATE con_epoch SET state = 'draining'");
    expect(await ask()).toEqual({ kind: 'epoch-not-active', state: 'draining' });
    expect(await written()).toEqual({});
  });

  it('holder-fenced-off: an older fence of the name, or a name that nobody registered, writes nothing', async () => {
    await authored(schema, served, 1, credential);
    expect(await ask({ holder: { ...holder, holderFence: 4n as HolderFence } })).toEqual({ kind: 'holder-fenced-off' });
    expect(await ask({ holder: { ...holder, holderId: 'egress-2' } })).toEqual({ kind: 'holder-fenced-off' });
    expect(await written()).toEqual({});
  });

  it('credential-revoked: con:PACQ-X con:CRASH-19 the effect stays prepared', async () => {
    const [effectId] = (await prepared(1)) as [EffectId];
    const candidates = await grantCandidates(schema.db, served.account, 100);
    await revoke(schema, credential);
    expect(await ask({ candidates })).toMatchObject({ effects: [{ kind: 'credential-revoked', effectId }] });
    expect(await written()).toEqual({ remote_effect: 1 });
    expect(await schema.sql('SELECT state, attempt_count FROM con_remote_effect')).toEqual([
      { state: Buffer.from('prepared'), attempt_count: 0 },
    ]);
  });

  it('credential-gate-missing: a generation without a gate fails closed con:OPEN-47', async () => {
    const missing = CredentialGenerationId.mint();
    const effectId = await authored(schema, served, 1, missing);
    expect(await ask()).toMatchObject({ created: 1, effects: [{ kind: 'credential-gate-missing', effectId }] });
    expect(await written()).toEqual({ remote_effect: 1 });
  });

  it('credential-not-locked: a generation that no candidate named is created for and not granted', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const answer = await ask({ candidates: { effectIds: [], credentialGenerationIds: [] } });
    expect(answer).toMatchObject({ created: 1, effects: [{ kind: 'credential-not-locked', effectId }] });
    expect(await written()).toEqual({ remote_effect: 1 });
  });

  it('not-prepared: con:ECLM-X con:PACQ-X an effect that moved since the look gets no second permit', async () => {
    const [effectId] = (await prepared(1)) as [EffectId];
    const candidates = await grantCandidates(schema.db, served.account, 100);
    await ask({ candidates });
    expect(await ask({ candidates })).toMatchObject({ effects: [{ kind: 'not-prepared', effectId, state: 'dispatching' }] });
    expect(await rows('con_dispatch_permit')).toBe(1);
  });

  it('not-due: an effect whose time has not come stays prepared', async () => {
    const [effectId] = (await prepared(1)) as [EffectId];
    const candidates = await grantCandidates(schema.db, served.account, 100);
    await schema.sql('UPDATE con_remote_effect SET due_at = NOW(6) + INTERVAL 1 HOUR');
    expect(await ask({ candidates })).toMatchObject({ effects: [{ kind: 'not-due', effectId }] });
    expect(await rows('con_dispatch_permit')).toBe(0);
  });

  it('not-found: an effect of another account, or of none, is not touched', async () => {
    const [effectId] = (await prepared(1)) as [EffectId];
    const [, other] = (await serveAccounts(schema, ['north/x', 'north/y'])) as [ServedAccount, ServedAccount];
    const candidates = { effectIds: [effectId], credentialGenerationIds: [credential] };
    expect(await ask({ basis: other, candidates })).toMatchObject({ effects: [{ kind: 'not-found', effectId }] });
    expect(await rows('con_dispatch_permit')).toBe(0);
  });

  it.each(['logical_effect_digest', 'request_digest', 'epoch_digest'])(
    'command-mismatch: con:EMAT-X con:ECLM-X an effect whose %s is not its command’s is not tried',
    async (column) => {
      const [effectId] = (await prepared(1)) as [EffectId];
      await schema.sql(`UPDATE con_remote_effect SET ${column} = ?`, [Digest.bytes(Digest.sha256(Buffer.from('other')))]);
      expect(await ask()).toMatchObject({ effects: [{ kind: 'command-mismatch', effectId }] });
      expect(await written()).toEqual({ remote_effect: 1 });
    },
  );

  it('command-mismatch: con:ECLM-X an effect of another credential generation than its command is not tried', async () => {
    const [effectId] = (await prepared(1)) as [EffectId];
    await schema.sql('UPDATE con_remote_effect SET credential_generation_id = ?', [
      CredentialGenerationId.bytes(await enabledCredential(schema)),
    ]);
    expect(await ask()).toMatchObject({ effects: [{ kind: 'command-mismatch', effectId }] });
  });

  it('other-epoch: a command of another epoch than the gate’s gets no permit con:CHN-05', async () => {
    const effectId = await authored(schema, served, 1, credential, { epoch_id: EpochId.mint() });
    expect(await ask()).toMatchObject({ created: 1, effects: [{ kind: 'other-epoch', effectId }] });
    expect(await written()).toEqual({ remote_effect: 1 });
  });

  it('no-slot: con:OPEN-29 permits granted before count, sending ones do not', async () => {
    await prepared(3);
    expect(kinds(await ask({ slots: 1 }))).toEqual(['granted', 'no-slot', 'no-slot']);
    expect(kinds(await ask({ slots: 1 }))).toEqual(['no-slot', 'no-slot']);
    await schema.sql("UPDATE con_dispatch_permit SET state = 'sending'");
    expect(kinds(await ask({ slots: 1 }))).toEqual(['granted', 'no-slot']);
  });

  it('granted: con:REFF-06 con:REFF-01 an abandoned attempt is followed by the next ordinal under the same command', async () => {
    const [effectId] = (await prepared(1)) as [EffectId];
    const permits = await granted(schema.db, served, holder);
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    const operationId = OperationId.mint();
    await abandonPermits(schema.db, { operationId, account: served.account, requestedBy: 'test', permits: permits });
    holder = await registered(schema, 'egress-1', 6n);
    expect(await ask()).toMatchObject({ effects: [{ kind: 'granted', effectId, attemptOrdinal: 2 }] });
    expect(await rows('con_effect_attempt')).toBe(2);
  });

  it('refused: more slots, commands or generations than a door carries', () => {
    const candidates = { effectIds: [], credentialGenerationIds: [] };
    expect(() => grant(schema.db, { basis: served, holder, slots: 101, candidates, newCommands: 0 })).toThrow(/limits of the door/);
    const many = Array.from({ length: 17 }, () => CredentialGenerationId.mint());
    const beyond = { effectIds: [], credentialGenerationIds: many };
    expect(() => grant(schema.db, { basis: served, holder, slots: 1, candidates: beyond, newCommands: 0 })).toThrow(/limits of the door/);
  });
});

describe('reads of the outbound', () => {
  it('candidates: effects of a revoked gate are left out, so they never stand before others', async () => {
    const revoked = await enabledCredential(schema);
    await authored(schema, served, 1, revoked);
    const free = await authored(schema, served, 2, credential);
    await ask({ candidates: { effectIds: [], credentialGenerationIds: [] } });
    await revoke(schema, revoked);
    expect(await grantCandidates(schema.db, served.account, 100)).toEqual({
      effectIds: [free],
      credentialGenerationIds: [credential],
      newCommands: 0,
    });
  });

  it('next due: null for an idle account, now for a waiting command, later for an effect that waits for a revoked gate', async () => {
    const after = async (): Promise<number> => {
      const due = await nextEffectDue(schema.db, served.account);
      const [row] = await schema.sql('SELECT TIMESTAMPDIFF(SECOND, NOW(6), ?) AS s', [due?.replace('T', ' ').replace('Z', '') ?? null]);
      return Number(row?.['s']);
    };
    expect(await nextEffectDue(schema.db, served.account)).toBeNull();
    await authored(schema, served, 1, credential);
    expect(await after()).toBe(0);
    await ask({ candidates: { effectIds: [], credentialGenerationIds: [] } });
    expect(await after()).toBe(0);
    await revoke(schema, credential);
    expect(await after()).toBeGreaterThan(20);
  });

  it('open permits: all of them, and those of one process generation', async () => {
    await prepared(2);
    await granted(schema.db, served, holder);
    const open = await openPermits(schema.db, 10);
    expect(open.map(({ generation_id, state }) => [generation_id, state])).toEqual([
      [holder.generationId, 'granted'],
      [holder.generationId, 'granted'],
    ]);
    expect(await openPermitsOfGeneration(schema.db, holder.generationId, 10)).toEqual(open);
    await schema.sql("UPDATE con_dispatch_permit SET state = 'returned', open_account = NULL");
    expect(await openPermits(schema.db, 10)).toEqual([]);
    expect(await openPermitsOfGeneration(schema.db, holder.generationId, 10)).toEqual([]);
  });
});
