import {
  CommandId,
  type CredentialGenerationId,
  EffectId,
  EpochId,
  ExecutionId,
  GenerationId,
  LinkId,
  OperationId,
  OutboundCommandId,
  type ReceiptId,
} from '@connector/kernel/ids';
import { conRemoteLink } from '@connector/schema/connector/outbound';
import { readCommandRows } from '@connector/runtime/reads/lineage-rows';
import { runApplicationResult, runCommand } from '@connector/schema/runtime/runtime';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { readyExecutions, receiptFor, runtimeCommand } from '@connector/testing/fixtures/execution';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  insertRow,
  isolated,
  NO_IO,
  registered,
  revoke,
  sending,
  settlement,
  terminated,
  type TestHolder,
  UNCERTAIN,
} from '@connector/testing/fixtures/outbound';
import type { Explanation } from '../../model/explain/explanation';
import { claimExecutions } from '../../transitions/execution/claim-executions.tx';
import { recordResults } from '../../transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '../../transitions/inbound/admit-and-materialize.tx';
import { finalizeEffects } from '../../transitions/outbound/finalize-effects.tx';
import { settlePermits } from '../../transitions/outbound/settle-permits.tx';
import { concludeHalt } from '../../transitions/serving/conclude-halt.tx';
import { haltGate } from '../../transitions/serving/halt-gate.tx';
import type { GateMove } from '../../transitions/serving/gate-move';
import { explain } from './explain';
import type { ExplainSources } from './sources';

let schema: TestSchema;
let served: ServedAccount;
let credential: CredentialGenerationId;
let holder: TestHolder;

const runtime = { handover: async (id: CommandId) => (await readCommandRows(schema.db, [id]))[0] };
const HOUR = 3_600_000;
const times = (ms: number): ExplainSources => {
  const keys = [
    'receipt_not_materialized',
    'execution_not_completed',
    'effect_not_dispatched',
    'effect_uncertain',
    'permit_open',
    'gate_halting',
  ];
  const afterMs = Object.fromEntries(keys.map((key) => [key, ms]));
  return { ...runtime, alertAfter: () => Promise.resolve({ afterMs, declaredBy: 'scg_of_the_epoch' }) };
};

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

async function why(id: string, alerts = times(HOUR)): Promise<Explanation> {
  const answer = await explain(schema.db, id, alerts);
  if (answer.kind !== 'explained') throw new Error(answer.kind);
  return answer.explanation;
}
const short = ({ verdict, reason, owner, alert, evidence }: Explanation) => ({
  verdict,
  code: reason?.code,
  owner: owner?.role,
  alert: alert !== null,
  rows: evidence?.count,
});
const codes = (explanation: Explanation): readonly string[] => [
  explanation.reason?.code ?? '',
  ...explanation.also.map(({ code }) => code),
];
const move = (expectedFence: bigint): GateMove => ({
  operationId: OperationId.mint(),
  account: served.account,
  expectedFence: expectedFence as GateMove['expectedFence'],
  by: 'm.ortiz',
  reason: 'duplicate charges',
});
async function stored(key: string, items: Parameters<typeof prepareDelivery>[3]): Promise<ReceiptId> {
  const prepared = prepareDelivery(served, ROUTE, delivery(served, key, key), items);
  await admitAndMaterialize(schema.db, served, ROUTE, [prepared]);
  return prepared.delivery.receiptId;
}
async function claimed(key: string): Promise<ExecutionId> {
  const [executionId] = (await readyExecutions(schema, served, [key])) as [ExecutionId];
  await claimExecutions(schema.db, served, { claimant: 'claimant-1', leaseMs: 60_000, executions: [executionId] });
  return executionId;
}
/** The inbox row of this execution, which is what accept-command writes. */
async function handedOver(executionId: ExecutionId): Promise<void> {
  const { commandId, executionRefDigest } = await receiptFor(schema, executionId);
  const input = Buffer.from('{}');
  const command = runtimeCommand(served, input);
  await insertRow(schema, runCommand, {
    command_id: commandId,
    account: served.account,
    execution_ref_digest: executionRefDigest,
    execution_id: executionId,
    epoch_id: served.epochId,
    epoch_digest: served.epochDigest,
    pack_generation_storage_id: command.packGenerationStorageId,
    kind: command.kind,
    business_key: command.businessKey,
    definition_version: command.definitionVersion,
    input,
    input_digest: command.inputDigest,
  });
}
const first = async () => (await granted(schema.db, served, holder))[0] as Awaited<ReturnType<typeof granted>>[0];

describe('explain, inbound', () => {
  it('NOT_MATERIALIZED: a receipt that waits for the sweep (con:LIV-02, con:LIV-05)', async () => {
    const id = await stored('d1', { kind: 'deferred' });
    const answer = await why(id);
    expect(short(answer)).toEqual({ verdict: 'waiting', code: 'NOT_MATERIALIZED', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ receipt_id: id, next_ordinal: 0 });
    expect(answer.will_not_help.join()).toContain('answers with the same receipt');
    expect(answer.subject).toMatchObject({ kind: 'receipt', state: 'stored', root: id });
  });

  it('EXTRACTION_REFUSED: an item that the pack refused, by the name and the words of the pack', async () => {
    const refusal = { kind: 'refused', ordinal: 0, code: 'item-refused', message: 'seq counts from 1' } as const;
    const answer = await why(await stored('d1', { kind: 'items', items: [refusal] }));
    expect(short(answer)).toEqual({ verdict: 'refused', code: 'EXTRACTION_REFUSED', owner: 'pack-owners', alert: false, rows: 1 });
    expect(answer.reason?.headline).toBe('Item #0 of this delivery was refused by the pack: seq counts from 1 (item-refused).');
    expect(answer.evidence?.rows[0]).toMatchObject({ ordinal: 0, code: 'item-refused' });
    expect(answer.will_not_help.join()).toContain('sending the same bytes again');
  });

  it('KEY_REUSED: other content under a source event key that was used before', async () => {
    await stored('d1', { kind: 'items', items: [item(0, 'k', { a: 1 })] });
    const answer = await why(await stored('d2', { kind: 'items', items: [item(0, 'k', { a: 2 })] }));
    expect(short(answer)).toEqual({ verdict: 'refused', code: 'KEY_REUSED', owner: 'provider-owners', alert: false, rows: 1 });
    expect(answer.will_not_help.join()).toContain('under the same key');
  });

  it('NOT_PICKED_UP: an execution that nobody claimed, also asked for by its receipt', async () => {
    const [id] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    const answer = await why(id);
    expect(short(answer)).toEqual({ verdict: 'waiting', code: 'NOT_PICKED_UP', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ execution_id: id, state: 'ready', attempt_count: 0 });
    expect(answer.will_not_help.join()).toContain('polling finds the row');
    const above = await why(answer.subject.root ?? '');
    expect([above.subject.kind, above.reason?.code, above.reason?.subject]).toEqual(['receipt', 'NOT_PICKED_UP', id]);
  });

  it('LEASED: a claimed execution under its lease', async () => {
    const id = await claimed('k');
    const answer = await why(id);
    expect(short(answer)).toEqual({ verdict: 'progressing', code: 'LEASED', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ claimant: 'claimant-1', ordinal: 1 });
    expect(answer.will_not_help.join()).toContain('ending the lease by hand');
  });

  it('RESULT_PENDING: a command that the Runtime accepted and has not answered; also by the id of the command', async () => {
    const id = await claimed('k');
    await handedOver(id);
    const answer = await why(id);
    expect(short(answer)).toEqual({ verdict: 'waiting', code: 'RESULT_PENDING', owner: 'runtime-operators', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ execution_id: id, outcome: null });
    expect(answer.will_not_help.join()).toContain('one id and one result');
    expect(codes(answer)).toEqual(['RESULT_PENDING', 'LEASED']);
    const { commandId } = await receiptFor(schema, id);
    expect((await why(commandId)).reason?.code).toBe('RESULT_PENDING');
  });

  it('RESULT_PENDING: a result that is there waits to be recorded, and a halt holds nothing of it back (con:OPEN-15)', async () => {
    const id = await claimed('k');
    await handedOver(id);
    await haltGate(schema.db, move(7n));
    expect((await why(id)).reason?.code).toBe('GATE_HALTING');
    const { commandId, executionRefDigest, resultDigest, commitReceipt, commitReceiptDigest } = await receiptFor(schema, id);
    await insertRow(schema, runApplicationResult, {
      ...{ command_id: commandId, execution_ref_digest: executionRefDigest, outcome: 'applied', result: Buffer.from('{}') },
      ...{ result_digest: resultDigest, commit_receipt: commitReceipt, commit_receipt_digest: commitReceiptDigest },
    });
    const answer = await why(id);
    expect(codes(answer)).toEqual(['RESULT_PENDING']);
    expect(answer.reason?.headline).toContain('is not recorded yet');
    expect(answer.evidence?.rows[0]).toMatchObject({ outcome: 'applied' });
  });

  it('done: a completed execution owes nothing', async () => {
    const id = await claimed('k');
    await recordResults(schema.db, served.account, [await receiptFor(schema, id)]);
    expect(await why(id)).toMatchObject({ verdict: 'done', reason: null, owner: null, may: [], subject: { state: 'completed' } });
  });
});

describe('explain, outbound', () => {
  it('COMMAND_NOT_PICKED_UP: a command of the feed that is no effect yet', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const id = OutboundCommandId.of(EffectId.bytes(effectId));
    expect(short(await why(id))).toEqual({ verdict: 'waiting', code: 'COMMAND_NOT_PICKED_UP', owner: 'platform', alert: true, rows: 1 });
  });

  it('EFFECT_NOT_PICKED_UP: a prepared effect that no holder asked for', async () => {
    const effectId = await authored(schema, served, 1, credential);
    await first();
    await schema.sql("UPDATE con_remote_effect SET state = 'prepared', ready_account = account");
    const answer = await why(effectId);
    expect(short(answer)).toEqual({ verdict: 'waiting', code: 'EFFECT_NOT_PICKED_UP', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ effect_id: effectId, state: 'prepared' });
    expect(answer.will_not_help.join()).toContain('this effect has the slot');
  });

  it('EFFECT_BACKOFF: a proven no-effect waits for the time of its frozen policy', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const permit = await first();
    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], NO_IO));
    const answer = await why(effectId);
    expect(short(answer)).toEqual({ verdict: 'waiting', code: 'EFFECT_BACKOFF', owner: 'outbound-operators', alert: true, rows: 1 });
    expect(answer.policy?.then).toBe('the next attempt');
  });

  it('CREDENTIAL_REVOKED: a prepared effect whose credential gate is shut, before that nobody picked it up', async () => {
    const effectId = await authored(schema, served, 1, credential);
    await first();
    await schema.sql("UPDATE con_remote_effect SET state = 'prepared', ready_account = account");
    await revoke(schema, credential);
    const answer = await why(effectId);
    expect(codes(answer)).toEqual(['CREDENTIAL_REVOKED', 'EFFECT_NOT_PICKED_UP']);
    expect([answer.owner?.role, answer.evidence?.count]).toEqual(['credential-owners', 1]);
  });

  it('PERMIT_GRANTED: a permit of a live holder; its effect says the same', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const permit = await first();
    const answer = await why(permit.permitId);
    expect(short(answer)).toEqual({ verdict: 'waiting', code: 'PERMIT_GRANTED', owner: 'egress-operators', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ permit_id: permit.permitId, termination_id: null, isolation_id: null });
    expect(answer.will_not_help.join()).toContain('never by time');
    expect((await why(effectId)).reason).toMatchObject({ code: 'PERMIT_GRANTED', subject: permit.permitId });
  });

  it.each([
    ['a newer fence of the name', async () => void (await registered(schema, 'egress-1', 6n)), 'end and its isolation'],
    ['a termination without an isolation', async () => void (await terminated(schema, holder.generationId)), 'isolation'],
    ['an isolation without a termination', async () => void (await isolated(schema, holder.generationId)), 'end'],
  ])('PERMIT_HOLDER_UNPROVEN: %s, and the permit may only be abandoned with both proofs (con:PRMT-05)', async (_, arrange, missing) => {
    await authored(schema, served, 1, credential);
    const { permitId } = await first();
    await arrange();
    const answer = await why(permitId);
    expect(short(answer)).toEqual({
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
    expect((await why(permitId)).reason?.code).toBe('PERMIT_GRANTED');
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    expect(short(await why(permitId))).toMatchObject({ verdict: 'waiting', code: 'PERMIT_HOLDER_PROVEN', owner: 'account-operators' });
  });

  it('PERMIT_SENDING: a call in flight is nobody’s move', async () => {
    await authored(schema, served, 1, credential);
    const permit = await first();
    await sending(schema.db, holder, credential, [permit]);
    const answer = await why(permit.permitId);
    expect(short(answer)).toEqual({ verdict: 'progressing', code: 'PERMIT_SENDING', owner: 'egress-operators', alert: true, rows: 1 });
    expect(answer.will_not_help.join()).toContain('another permit for the same attempt');
  });

  it('EFFECT_UNCERTAIN: nobody knows, and asking again could do it twice (con:LIV-08)', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const permit = await first();
    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], UNCERTAIN));
    const answer = await why(effectId);
    expect(short(answer)).toEqual({ verdict: 'needs_person', code: 'EFFECT_UNCERTAIN', owner: 'outbound-operators', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ permit_id: permit.permitId, outcome: 'uncertain', io_started: true });
    expect(answer.will_not_help.join()).toContain('asking for the same intent again');
    expect((await why(permit.permitId)).verdict).toBe('done');
  });

  it('EFFECT_NOT_FINALIZED, then done: a confirmed effect and the link that it proved', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const permit = await first();
    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], CONFIRMED));
    expect(short(await why(effectId))).toMatchObject({ code: 'EFFECT_NOT_FINALIZED', verdict: 'waiting' });
    await finalizeEffects(schema.db, { operationId: OperationId.mint(), account: served.account, effectIds: [effectId] });
    expect((await why(effectId)).verdict).toBe('done');
    const [link] = await schema.sql('SELECT link_id FROM con_remote_link');
    expect(await why(LinkId.of(link?.['link_id'] as Buffer))).toMatchObject({ verdict: 'done', subject: { state: 'active' } });
  });

  it('LINK_CONFLICT: a confirmed effect whose remote record belongs to another place of ours', async () => {
    const effectId = await authored(schema, served, 1, credential);
    const permit = await first();
    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], CONFIRMED));
    const taken = { owner_slot: 'other', active_slot: 'other', remote_identity: 'thing/1', active_remote: 'thing/1', state: 'active' };
    const other = await authored(schema, served, 2, credential);
    await insertRow(schema, conRemoteLink, { link_id: LinkId.mint(), account: served.account, effect_id: other, ...taken });
    await finalizeEffects(schema.db, { operationId: OperationId.mint(), account: served.account, effectIds: [effectId] });
    const answer = await why(effectId);
    expect(short(answer)).toEqual({ verdict: 'needs_person', code: 'LINK_CONFLICT', owner: 'integration-owners', alert: false, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ remote_identity: 'thing/1', owner_slot: 'other' });
  });
});

describe('explain, serving', () => {
  it('GATE_HALTING, then GATE_HALTED: the account, its open permit and what waits below', async () => {
    const [execution] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    await authored(schema, served, 1, credential);
    const permit = await first();
    await haltGate(schema.db, move(7n));
    const halting = await why(`account/${served.account}`);
    expect(short(halting)).toEqual({ verdict: 'needs_person', code: 'GATE_HALTING', owner: 'account-operators', alert: true, rows: 1 });
    expect(codes(halting)).toEqual(['GATE_HALTING', 'PERMIT_GRANTED']);
    expect(halting.reason?.headline).toContain('by m.ortiz: duplicate charges; open permits: 1.');
    expect(halting.evidence?.rows[0]).toMatchObject({ permit_id: permit.permitId, state: 'granted' });
    expect(halting.will_not_help.join()).toContain('no path from halting back');
    expect((await why(permit.permitId)).blocks).toEqual([{ kind: 'gate', id: served.account, transition: 'halting_v2 -> v2_halted' }]);
    expect(codes(await why(execution))).toEqual(['GATE_HALTING', 'NOT_PICKED_UP']);

    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], CONFIRMED));
    await concludeHalt(schema.db, move(8n));
    const halted = await why(`account/${served.account}`);
    expect(short(halted)).toEqual({ verdict: 'needs_person', code: 'GATE_HALTED', owner: 'account-operators', alert: false, rows: 1 });
    expect(halted.may[0]?.command).toBe(`connector accounts resume ${served.account} --reason "..." --plan`);
    expect(halted.as_of.gate).toEqual({ account: served.account, mode: 'v2_halted', fence: '9' });
    expect(codes(await why(execution))).toEqual(['GATE_HALTED', 'NOT_PICKED_UP']);
  });

  it('EPOCH_NOT_ACTIVE: work that is bound to an epoch which drains', async () => {
    const [execution] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    await schema.sql("UPDATE con_epoch SET state = 'draining' WHERE epoch_id = ?", [EpochId.bytes(served.epochId)]);
    const answer = await why(execution);
    expect(codes(answer)).toEqual(['EPOCH_NOT_ACTIVE', 'NOT_PICKED_UP']);
    expect(answer.as_of.epoch).toEqual({ id: served.epochId, state: 'draining' });
  });

  it('done: an account that serves', async () => {
    expect(await why(`account/${served.account}`)).toMatchObject({ verdict: 'done', subject: { state: 'v2_serving' } });
  });
});

describe('explain, in general', () => {
  it('needs_person: an alert time that passed escalates and changes nothing else (con:LIV-04, con:LIV-10)', async () => {
    const [id] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    await schema.sql('UPDATE con_execution SET minted_at = minted_at - INTERVAL 1 MINUTE');
    const late = await why(id, times(1_000));
    expect([late.verdict, late.alert?.passed, late.alert?.effect, late.reason?.class]).toEqual([
      'needs_person',
      true,
      'notify_only',
      'machine',
    ]);
    expect((await why(id)).alert?.passed).toBe(false);
  });

  it('no alert declared: where the policies of the epoch are not known, no time is invented', async () => {
    const [id] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    expect((await why(id, { ...runtime, alertAfter: () => Promise.resolve(undefined) })).alert).toBeNull();
  });

  it('not-found, no-such-kind: an id without a row, and one of a kind that this path does not explain', async () => {
    expect(await explain(schema.db, ExecutionId.mint(), times(1))).toEqual({ kind: 'not-found' });
    expect(await explain(schema.db, CommandId.mint(), times(1))).toEqual({ kind: 'not-found' });
    expect(await explain(schema.db, OperationId.mint(), times(1))).toEqual({ kind: 'no-such-kind' });
    await expect(explain(schema.db, 'exe_short', times(1))).rejects.toMatchObject({ code: 'HOUSE:kernel:IdNotCanonical' });
  });
});
