import { type CredentialGenerationId, EffectId, GenerationId, LinkId, OperationId, OutboundCommandId } from '@connector/kernel/ids';
import { conRemoteLink } from '@connector/schema/connector/outbound';
import { codesOf, explainSources, inShort, why } from '@connector/testing/fixtures/explain';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { reenabled, revoked } from '@connector/testing/fixtures/credential';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  insertRow,
  isolated,
  NO_IO,
  refusedForNow,
  REFUSED,
  registered,
  revoke,
  sending,
  settlement,
  terminated,
  type TestHolder,
  THREE_TRIES,
  UNCERTAIN,
} from '@connector/testing/fixtures/outbound';
import type { CallEvidence } from '../../model/outbound/evidence';
import { finalizeEffects } from '../../transitions/outbound/finalize-effects.tx';
import { settlePermits } from '../../transitions/outbound/settle-permits.tx';

let schema: TestSchema;
let served: ServedAccount;
let credential: CredentialGenerationId;
let holder: TestHolder;

beforeAll(async () => {
  schema = await mainSchema();
});
afterAll(() => schema.close());
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/one'])) as [ServedAccount];
  credential = await enabledCredential(schema);
  holder = await registered(schema);
});

async function prepared(): Promise<EffectId> {
  const effectId = await authored(schema, served, 1, credential);
  await first();
  await schema.sql("UPDATE con_remote_effect SET state = 'prepared', ready_account = account");
  return effectId;
}
async function settled(evidence: CallEvidence, policy = THREE_TRIES) {
  const effectId = await authored(schema, served, 1, credential);
  const permit = await first();
  const token = await sending(schema.db, holder, credential, [permit]);
  await settlePermits(schema.db, settlement(served, holder, token, [permit], evidence, policy));
  return { effectId, permit };
}
const first = async () => (await granted(schema.db, served, holder))[0] as Awaited<ReturnType<typeof granted>>[0];

describe('explain, outbound', () => {
  it('COMMAND_NOT_PICKED_UP: a command of the feed that is no effect yet', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const id = OutboundCommandId.of(EffectId.bytes(effectId));
    expect(inShort(await why(schema, id))).toEqual({
      verdict: 'waiting',
      code: 'COMMAND_NOT_PICKED_UP',
      owner: 'platform',
      alert: true,
      rows: 1,
    });
  });

  it('EFFECT_NOT_PICKED_UP: a prepared effect that no holder asked for', async () => {
    const effectId = await prepared();
    const answer = await why(schema, effectId);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'EFFECT_NOT_PICKED_UP', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ effect_id: effectId, state: 'prepared' });
    expect(answer.will_not_help.join()).toContain('this effect has the slot');
  });

  it('EFFECT_BACKOFF: a proven no-effect waits for the time of its frozen policy', async () => {
    const { effectId } = await settled(NO_IO);
    const answer = await why(schema, effectId);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'EFFECT_BACKOFF', owner: 'outbound-operators', alert: true, rows: 1 });
    expect(answer.policy?.then).toBe('the next attempt');
  });

  it('EFFECT_BACKOFF: which attempt of how many, why, what the provider asked for, and when the next one is due (PUB-RTY-04)', async () => {
    const { effectId } = await settled(refusedForNow(90_000));
    const { reason, policy, evidence } = await why(schema, effectId);
    const due = policy?.at ?? '';
    expect(reason?.headline).toBe(
      `Attempt 1 of 3 had no effect, proved: refused for now, Retry-After 90 s. The next one is due at ${due}.`,
    );
    const [row] = await schema.sql('SELECT DATE_FORMAT(due_at, ?) AS due FROM con_remote_effect', ['%Y-%m-%dT%H:%i:%s.%fZ']);
    expect(due).toBe(String(row?.['due']));
    expect(evidence?.rows[0]).toMatchObject({ attempt_ordinal: 1, outcome: 'no_effect', status: 429, io_started: true });
  });

  it('EFFECT_BACKOFF: where the epoch cannot be read no bound is invented', async () => {
    const { effectId } = await settled(NO_IO);
    const unread = { ...explainSources(schema), attemptsMax: () => Promise.resolve(undefined) };
    expect((await why(schema, effectId, unread)).reason?.headline).toContain('Attempt 1 of an unknown number had no effect, proved');
  });

  it.each([NO_IO, refusedForNow(90_000)])('EFFECT_ATTEMPTS_EXHAUSTED: no attempt is left, and none had an effect', async (evidence) => {
    const { effectId } = await settled(evidence, { ...THREE_TRIES, attemptsMax: 1 });
    const answer = await why(schema, effectId);
    const owner = 'outbound-operators';
    expect(inShort(answer)).toEqual({ verdict: 'refused', code: 'EFFECT_ATTEMPTS_EXHAUSTED', owner, alert: false, rows: 1 });
    expect(answer.reason?.headline).toContain(`The last one: ${evidence.detail}.`);
    expect(answer.may.map(({ kind }) => kind)).toEqual(['look', 'mint_upstream']);
  });

  it('EFFECT_REFUSED: the provider said no for good', async () => {
    const { effectId } = await settled(REFUSED);
    const answer = await why(schema, effectId);
    expect(inShort(answer)).toEqual({ verdict: 'refused', code: 'EFFECT_REFUSED', owner: 'integration-owners', alert: false, rows: 1 });
    expect(answer.reason?.headline).toContain(REFUSED.detail);
    expect(answer.may.map(({ command }) => command)).toContain(`connector lineage ${effectId}`);
  });

  it('CREDENTIAL_REVOKED: a prepared effect whose credential gate is shut, before that nobody picked it up', async () => {
    const effectId = await prepared();
    await revoke(schema, credential);
    const answer = await why(schema, effectId);
    expect(codesOf(answer)).toEqual(['CREDENTIAL_REVOKED', 'EFFECT_NOT_PICKED_UP']);
    expect([answer.owner?.role, answer.evidence?.count]).toEqual(['credential-owners', 1]);
  });

  it('PERMIT_FENCE_MOVED: a granted permit that its credential gate left behind, before that it is revoked; one that is sending is not', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const { permitId } = await first();
    await revoked(schema, served.account, credential);
    expect(codesOf(await why(schema, permitId))).toEqual(['PERMIT_FENCE_MOVED', 'CREDENTIAL_REVOKED', 'PERMIT_GRANTED']);
    expect((await why(schema, effectId)).reason).toMatchObject({ code: 'PERMIT_FENCE_MOVED', subject: permitId });
    await reenabled(schema, served.account, credential);
    const answer = await why(schema, permitId);
    expect(codesOf(answer)).toEqual(['PERMIT_FENCE_MOVED', 'PERMIT_GRANTED']);
    expect(answer.reason?.headline).toContain('under credential fence 3, and the gate is at 5');
    await schema.sql("UPDATE con_dispatch_permit SET state = 'sending', sending_at = NOW(6)");
    expect(codesOf(await why(schema, permitId))).toEqual(['PERMIT_SENDING']);
  });

  it('PERMIT_GRANTED: a permit of a live holder; its effect says the same', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const permit = await first();
    const answer = await why(schema, permit.permitId);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'PERMIT_GRANTED', owner: 'egress-operators', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ permit_id: permit.permitId, termination_id: null, isolation_id: null });
    expect(answer.will_not_help.join()).toContain('never by time');
    expect((await why(schema, effectId)).reason).toMatchObject({ code: 'PERMIT_GRANTED', subject: permit.permitId });
  });

  it.each([
    ['a newer fence of the name', async () => void (await registered(schema, 'egress-1', 6n)), 'end and its isolation'],
    ['a termination without an isolation', async () => void (await terminated(schema, holder.generationId)), 'isolation'],
    ['an isolation without a termination', async () => void (await isolated(schema, holder.generationId)), 'end'],
  ])('PERMIT_HOLDER_UNPROVEN: %s, and the permit may only be abandoned with both proofs (con:PRMT-05)', async (_, arrange, missing) => {
    await authored(schema, served, 1, credential);
    const { permitId } = await first();
    await arrange();
    const answer = await why(schema, permitId);
    expect(inShort(answer)).toEqual({
      verdict: 'needs_person',
      code: 'PERMIT_HOLDER_UNPROVEN',
      owner: 'egress-operators',
      alert: true,
      rows: 1,
    });
    expect(answer.reason?.headline).toContain(`its ${missing} is not proved. Nothing was sent.`);
    expect(answer.may.map(({ command }) => command)).toContain(`connector permits abandon ${permitId} --plan`);
    expect(answer.will_not_help.join()).toContain('another process of the same name');
  });

  it('PERMIT_HOLDER_PROVEN: with both receipts the coordinator closes it; a receipt of another process says nothing', async () => {
    await authored(schema, served, 1, credential);
    const { permitId } = await first();
    await terminated(schema, GenerationId.mint());
    expect((await why(schema, permitId)).reason?.code).toBe('PERMIT_GRANTED');
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    expect(inShort(await why(schema, permitId))).toMatchObject({
      verdict: 'waiting',
      code: 'PERMIT_HOLDER_PROVEN',
      owner: 'account-operators',
    });
  });

  it('PERMIT_SENDING: a call in flight is nobody’s move', async () => {
    await authored(schema, served, 1, credential);
    const permit = await first();
    await sending(schema.db, holder, credential, [permit]);
    const answer = await why(schema, permit.permitId);
    expect(inShort(answer)).toEqual({ verdict: 'progressing', code: 'PERMIT_SENDING', owner: 'egress-operators', alert: true, rows: 1 });
    expect(answer.will_not_help.join()).toContain('another permit for the same attempt');
  });

  it('EFFECT_UNCERTAIN: nobody knows, and asking again could do it twice (con:LIV-08)', async () => {
    const { effectId, permit } = await settled(UNCERTAIN);
    const answer = await why(schema, effectId);
    expect(inShort(answer)).toEqual({
      verdict: 'needs_person',
      code: 'EFFECT_UNCERTAIN',
      owner: 'outbound-operators',
      alert: true,
      rows: 1,
    });
    expect(answer.evidence?.rows[0]).toMatchObject({ permit_id: permit.permitId, outcome: 'uncertain', io_started: true });
    expect(answer.will_not_help.join()).toContain('asking for the same intent again');
    expect((await why(schema, permit.permitId)).verdict).toBe('done');
  });

  it('EFFECT_NOT_FINALIZED, then done: a confirmed effect and the link that it proved', async () => {
    const { effectId } = await settled(CONFIRMED);
    expect(inShort(await why(schema, effectId))).toMatchObject({ code: 'EFFECT_NOT_FINALIZED', verdict: 'waiting' });
    await finalizeEffects(schema.db, { operationId: OperationId.mint(), account: served.account, effectIds: [effectId] });
    expect((await why(schema, effectId)).verdict).toBe('done');
    const [link] = await schema.sql('SELECT link_id FROM con_remote_link');
    expect(await why(schema, LinkId.of(link?.['link_id'] as Buffer))).toMatchObject({ verdict: 'done', subject: { state: 'active' } });
  });

  it('LINK_CONFLICT: a confirmed effect whose remote record belongs to another place of ours', async () => {
    const { effectId } = await settled(CONFIRMED);
    const taken = { owner_slot: 'other', active_slot: 'other', remote_identity: 'thing/1', active_remote: 'thing/1', state: 'active' };
    const other = await authored(schema, served, 2, credential);
    await insertRow(schema, conRemoteLink, { link_id: LinkId.mint(), account: served.account, effect_id: other, ...taken });
    await finalizeEffects(schema.db, { operationId: OperationId.mint(), account: served.account, effectIds: [effectId] });
    const answer = await why(schema, effectId);
    expect(inShort(answer)).toEqual({ verdict: 'needs_person', code: 'LINK_CONFLICT', owner: 'integration-owners', alert: false, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ remote_identity: 'thing/1', owner_slot: 'other' });
  });
});
