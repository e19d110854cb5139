import { CommandId, type CredentialGenerationId, EpochId, ExecutionId, OperationId, type ReceiptId } from '@connector/kernel/ids';
import { runApplicationResult, runCommand } from '@connector/schema/runtime/runtime';
import { codesOf, explainSources, inShort, why } from '@connector/testing/fixtures/explain';
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
  registered,
  sending,
  settlement,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { claimExecutions } from '../../transitions/execution/claim-executions.tx';
import { recordResults } from '../../transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '../../transitions/inbound/admit-and-materialize.tx';
import { settlePermits } from '../../transitions/outbound/settle-permits.tx';
import { concludeHalt } from '../../transitions/serving/conclude-halt.tx';
import { haltGate } from '../../transitions/serving/halt-gate.tx';
import type { GateMove } from '../../transitions/serving/gate-move';
import { explain } from './explain';

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
    accepted_by: null,
  });
}
const first = async () => (await granted(schema.db, served, holder))[0] as Awaited<ReturnType<typeof granted>>[0];

describe('explain, inbound', () => {
  it('NOT_MATERIALIZED: a receipt that waits for the sweep (con:LIV-02, con:LIV-05)', async () => {
    const id = await stored('d1', { kind: 'deferred' });
    const answer = await why(schema, id);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'NOT_MATERIALIZED', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ receipt_id: id, next_ordinal: 0 });
    expect(answer.will_not_help.join()).toContain('answers with the same receipt');
    expect(answer.subject).toMatchObject({ kind: 'receipt', state: 'stored', root: id });
  });

  it('EXTRACTION_REFUSED: an item that the pack refused, by the name and the words of the pack', async () => {
    const refusal = { kind: 'refused', ordinal: 0, code: 'item-refused', message: 'seq counts from 1' } as const;
    const answer = await why(schema, await stored('d1', { kind: 'items', items: [refusal] }));
    expect(inShort(answer)).toEqual({ verdict: 'refused', code: 'EXTRACTION_REFUSED', owner: 'pack-owners', alert: false, rows: 1 });
    expect(answer.reason?.headline).toBe('Item #0 of this delivery was refused by the pack: seq counts from 1 (item-refused).');
    expect(answer.evidence?.rows[0]).toMatchObject({ ordinal: 0, code: 'item-refused' });
    expect(answer.will_not_help.join()).toContain('sending the same bytes again');
  });

  it('KEY_REUSED: other content under a source event key that was used before', async () => {
    await stored('d1', { kind: 'items', items: [item(0, 'k', { a: 1 })] });
    const answer = await why(schema, await stored('d2', { kind: 'items', items: [item(0, 'k', { a: 2 })] }));
    expect(inShort(answer)).toEqual({ verdict: 'refused', code: 'KEY_REUSED', owner: 'provider-owners', alert: false, rows: 1 });
    expect(answer.will_not_help.join()).toContain('under the same key');
  });

  it('NOT_PICKED_UP: an execution that nobody claimed, also asked for by its receipt', async () => {
    const [id] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    const answer = await why(schema, id);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'NOT_PICKED_UP', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ execution_id: id, state: 'ready', attempt_count: 0 });
    expect(answer.will_not_help.join()).toContain('polling finds the row');
    const above = await why(schema, answer.subject.root ?? '');
    expect([above.subject.kind, above.reason?.code, above.reason?.subject]).toEqual(['receipt', 'NOT_PICKED_UP', id]);
  });

  it('LEASED: a claimed execution under its lease', async () => {
    const id = await claimed('k');
    const answer = await why(schema, id);
    expect(inShort(answer)).toEqual({ verdict: 'progressing', code: 'LEASED', owner: 'platform', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ claimant: 'claimant-1', ordinal: 1 });
    expect(answer.will_not_help.join()).toContain('ending the lease by hand');
  });

  it('RESULT_PENDING: a command that the Runtime accepted and has not answered; also by the id of the command', async () => {
    const id = await claimed('k');
    await handedOver(id);
    const answer = await why(schema, id);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'RESULT_PENDING', owner: 'runtime-operators', alert: true, rows: 1 });
    expect(answer.evidence?.rows[0]).toMatchObject({ execution_id: id, outcome: null });
    expect(answer.will_not_help.join()).toContain('one id and one result');
    expect(codesOf(answer)).toEqual(['RESULT_PENDING', 'LEASED']);
    const { commandId } = await receiptFor(schema, id);
    expect((await why(schema, commandId)).reason?.code).toBe('RESULT_PENDING');
  });

  it('RESULT_PENDING: a result that is there waits to be recorded, and a halt holds nothing of it back (con:OPEN-15)', async () => {
    const id = await claimed('k');
    await handedOver(id);
    await haltGate(schema.db, move(7n));
    expect((await why(schema, id)).reason?.code).toBe('GATE_HALTING');
    const { commandId, executionRefDigest, resultDigest, commitReceipt, commitReceiptDigest } = await receiptFor(schema, id);
    await insertRow(schema, runApplicationResult, {
      ...{ command_id: commandId, execution_ref_digest: executionRefDigest, outcome: 'applied', result: Buffer.from('{}') },
      ...{ reason: null, detail: null },
      ...{ result_digest: resultDigest, commit_receipt: commitReceipt, commit_receipt_digest: commitReceiptDigest },
    });
    const answer = await why(schema, id);
    expect(codesOf(answer)).toEqual(['RESULT_PENDING']);
    expect(answer.reason?.headline).toContain('is not recorded yet');
    expect(answer.evidence?.rows[0]).toMatchObject({ outcome: 'applied' });
  });

  it('DESTINATION_STOPPED: a run is turned back while another account of the epoch is stopped; one that serves says nothing (con:OPEN-43)', async () => {
    await schema.reset();
    const [here, there] = (await serveAccounts(schema, ['north/one', 'south/two'])) as [ServedAccount, ServedAccount];
    served = here;
    const id = await claimed('k');
    await haltGate(schema.db, { ...move(7n), account: there.account, expectedFence: there.fence });
    expect(codesOf(await why(schema, id))).toEqual(['LEASED']);
    await handedOver(id);
    const answer = await why(schema, id);
    expect(codesOf(answer)).toEqual(['DESTINATION_STOPPED', 'RESULT_PENDING', 'LEASED']);
    expect(inShort(answer)).toEqual({
      ...{ verdict: 'needs_person', code: 'DESTINATION_STOPPED', owner: 'account-operators', alert: true, rows: 1 },
    });
    expect(answer.reason?.headline).toContain(`${there.account} is halting_v2 since`);
    expect(answer.reason?.headline).toContain('by m.ortiz: duplicate charges.');
    expect(answer.evidence?.rows[0]).toMatchObject({ account: there.account, mode: 'halting_v2' });
    expect(answer.will_not_help.join()).toContain('waiting for a lease');
  });

  it('ENDED_WITHOUT_CHANGE: a completed execution whose result is failed owes nothing, and says why it changed nothing (PUB-EXE-09)', async () => {
    const id = await claimed('k');
    await handedOver(id);
    const { commandId, executionRefDigest, resultDigest, commitReceipt, commitReceiptDigest, ...rest } = await receiptFor(schema, id);
    const detail = 'started 5 times, and each time its process ended before it answered';
    await insertRow(schema, runApplicationResult, {
      ...{ command_id: commandId, execution_ref_digest: executionRefDigest, outcome: 'failed', reason: 'never-answered', detail },
      ...{
        result: Buffer.from('{}'),
        result_digest: resultDigest,
        commit_receipt: commitReceipt,
        commit_receipt_digest: commitReceiptDigest,
      },
    });
    const receipt = { ...rest, commandId, executionRefDigest, resultDigest, commitReceipt, commitReceiptDigest };
    await recordResults(schema.db, served.account, [receipt]);
    const answer = await why(schema, id);
    expect(inShort(answer)).toEqual({
      verdict: 'refused',
      code: 'ENDED_WITHOUT_CHANGE',
      owner: 'runtime-operators',
      alert: false,
      rows: 1,
    });
    expect(answer.reason?.headline).toContain(`: ${detail} (never-answered).`);
    expect(answer.evidence?.rows[0]).toMatchObject({ outcome: 'failed', reason: 'never-answered' });
    expect(answer.will_not_help.join()).toContain('its one result');
  });

  it('done: a completed execution owes nothing', async () => {
    const id = await claimed('k');
    await recordResults(schema.db, served.account, [await receiptFor(schema, id)]);
    expect(await why(schema, id)).toMatchObject({ verdict: 'done', reason: null, owner: null, may: [], subject: { state: 'completed' } });
  });
});

describe('explain, serving', () => {
  it('GATE_HALTING, then GATE_HALTED: the account, its open permit and what waits below', async () => {
    const [execution] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    await authored(schema, served, 1, credential);
    const permit = await first();
    await haltGate(schema.db, move(7n));
    const halting = await why(schema, `account/${served.account}`);
    expect(inShort(halting)).toEqual({ verdict: 'needs_person', code: 'GATE_HALTING', owner: 'account-operators', alert: true, rows: 1 });
    expect(codesOf(halting)).toEqual(['GATE_HALTING', 'PERMIT_GRANTED']);
    expect(halting.reason?.headline).toContain('by m.ortiz: duplicate charges; open permits: 1.');
    expect(halting.evidence?.rows[0]).toMatchObject({ permit_id: permit.permitId, state: 'granted' });
    expect(halting.will_not_help.join()).toContain('no path from halting back');
    expect((await why(schema, permit.permitId)).blocks).toEqual([
      { kind: 'gate', id: served.account, transition: 'halting_v2 -> v2_halted' },
    ]);
    expect(codesOf(await why(schema, execution))).toEqual(['GATE_HALTING', 'NOT_PICKED_UP']);

    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], CONFIRMED));
    await concludeHalt(schema.db, { ...move(8n), by: 'cutover-coordinator', reason: 'no permit is open' });
    const halted = await why(schema, `account/${served.account}`);
    expect(inShort(halted)).toEqual({ verdict: 'needs_person', code: 'GATE_HALTED', owner: 'account-operators', alert: false, rows: 1 });
    expect(halted.reason?.headline).toContain('by m.ortiz: duplicate charges.');
    expect(halted.may[0]?.command).toBe(`connector accounts resume ${served.account} --reason "..." --plan`);
    expect(halted.as_of.gate).toEqual({ account: served.account, mode: 'v2_halted', fence: '9' });
    expect(codesOf(await why(schema, execution))).toEqual(['GATE_HALTED', 'NOT_PICKED_UP']);
  });

  it('EPOCH_NOT_ACTIVE: work that is bound to an epoch which drains', async () => {
    const [execution] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    await schema.sql("UPDATE con_epoch SET state = 'draining' WHERE epoch_id = ?", [EpochId.bytes(served.epochId)]);
    const answer = await why(schema, execution);
    expect(codesOf(answer)).toEqual(['EPOCH_NOT_ACTIVE', 'NOT_PICKED_UP']);
    expect(answer.as_of.epoch).toEqual({ id: served.epochId, state: 'draining' });
  });

  it('done: an account that serves', async () => {
    expect(await why(schema, `account/${served.account}`)).toMatchObject({ verdict: 'done', subject: { state: 'v2_serving' } });
  });
});

describe('explain, in general', () => {
  it('needs_person: an alert time that passed escalates and changes nothing else (con:LIV-04, con:LIV-10)', async () => {
    const [id] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    await schema.sql('UPDATE con_execution SET minted_at = minted_at - INTERVAL 1 MINUTE');
    const late = await why(schema, id, explainSources(schema, 1_000));
    expect([late.verdict, late.alert?.passed, late.alert?.effect, late.reason?.class]).toEqual([
      'needs_person',
      true,
      'notify_only',
      'machine',
    ]);
    expect((await why(schema, id)).alert?.passed).toBe(false);
  });

  it('no alert declared: where the policies of the epoch are not known, no time is invented', async () => {
    const [id] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    expect((await why(schema, id, explainSources(schema, null))).alert).toBeNull();
  });

  it('not-found, no-such-kind: an id without a row, and one of a kind that this path does not explain', async () => {
    expect(await explain(schema.db, ExecutionId.mint(), explainSources(schema))).toEqual({ kind: 'not-found' });
    expect(await explain(schema.db, CommandId.mint(), explainSources(schema))).toEqual({ kind: 'not-found' });
    expect(await explain(schema.db, OperationId.mint(), explainSources(schema))).toEqual({ kind: 'no-such-kind' });
    await expect(explain(schema.db, 'exe_short', explainSources(schema))).rejects.toMatchObject({ code: 'HOUSE:kernel:IdNotCanonical' });
  });
});
