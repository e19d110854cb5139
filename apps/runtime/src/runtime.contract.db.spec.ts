import { Digest } from '@connector/kernel/digest';
import { CommandId, ExecutionId } from '@connector/kernel/ids';
import { jcs, type Json } from '@connector/kernel/jcs';
import type { RouteRef } from '@connector/connector/model/inbound/delivery';
import type { RunningService } from '@connector/platform/host/service';
import { commitReceipt } from '@connector/runtime/model/documents';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { frozenRoute, runtimeCommand } from '@connector/testing/fixtures/execution';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let home: TestHome;
let demo: DemoEpoch;
let service: RunningService;
let route: RouteRef;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret('tokens/execution-claimant/runtime', 'claimant-token');
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
  route = await frozenRoute(schema, demo.epochId, 'contact/upsert');
  service = await bootOn(runtime, schema, home);
});
afterEach(() => service.stop());
afterAll(async () => {
  await schema.close();
  await home.remove();
});

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
async function post(path: string, body: unknown, token = 'claimant-token'): Promise<Answered> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function commandFor(input: Json = { externalId: 'rec-1', seq: 1, email: null, name: 'Ada' }): RuntimeCommand {
  return runtimeCommand(demo.source, jcs(input), route);
}
const bodyOf = (command: RuntimeCommand) => ({
  command_id: command.commandId,
  account: command.account,
  execution_ref_digest: command.executionRefDigest,
  execution_id: command.executionId,
  epoch_id: command.epochId,
  epoch_digest: command.epochDigest,
  pack_generation_storage_id: command.packGenerationStorageId,
  kind: command.kind,
  business_key: command.businessKey,
  definition_version: command.definitionVersion,
  input_base64: command.input.toString('base64'),
  input_digest: command.inputDigest,
});
const submit = (command: RuntimeCommand, over: object = {}) => post('/v1/commands', { ...bodyOf(command), ...over });
const asked = ({ commandId, executionRefDigest }: RuntimeCommand) => ({ command_id: commandId, execution_ref_digest: executionRefDigest });

async function query(...commands: readonly object[]): Promise<Record<string, unknown>[]> {
  const { status, body } = await post('/v1/results/query', { commands });
  expect(status).toBe(200);
  return body['results'] as Record<string, unknown>[];
}
async function resultOf(command: RuntimeCommand): Promise<Record<string, unknown>> {
  for (let look = 0; look < 300; look += 1) {
    const [result] = await query(asked(command));
    if (result?.['found'] === true) return result;
    await schema.sql('DO SLEEP(0.01)');
  }
  throw new Error('no result came');
}
const count = async (table: string): Promise<number> => Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);

describe('contract › runtime answers', () => {
  it('202 before anything ran; the result is asked for, with the owner’s receipt for exactly this command (con:RTC-W con:RREC-P)', async () => {
    const command = commandFor();
    expect(await submit(command)).toEqual({ status: 202, body: { kind: 'accepted' } });
    const result = await resultOf(command);
    expect(result).toMatchObject({ command_id: command.commandId, found: true, outcome: 'applied' });
    const { value, digest } = commitReceipt.parse(Buffer.from(String(result['commit_receipt_base64']), 'base64'));
    expect([digest, value.result_digest]).toEqual([result['commit_receipt_digest'], result['result_digest']]);
    expect(value).toMatchObject({
      command_id: CommandId.bytes(command.commandId).toString('hex'),
      execution_ref_digest: command.executionRefDigest,
    });
    expect(await schema.sql('SELECT account, feed_seq FROM run_outbound_command')).toEqual([
      { account: Buffer.from(DESTINATION), feed_seq: '1' },
    ]);
  });

  it('202 to the same command again, before and after its result, and one result (con:CRASH-05 con:RTC-O)', async () => {
    const command = commandFor();
    expect((await Promise.all([submit(command), submit(command)])).map(({ status }) => status)).toEqual([202, 202]);
    const first = await resultOf(command);
    expect((await submit(command)).status).toBe(202);
    expect(await resultOf(command)).toEqual(first);
    expect([await count('run_command'), await count('run_application_result'), await count('run_outbound_command')]).toEqual([1, 1, 1]);
  });

  it('found only for the exact ExecutionRef: a wrong digest and an unknown command look alike, in order (con:IDN-15 con:ARES-R)', async () => {
    const command = commandFor();
    await submit(command);
    await resultOf(command);
    const wrong = { ...asked(command), execution_ref_digest: Digest.sha256(Buffer.from('x')) };
    const unknown = { ...asked(command), command_id: CommandId.mint() };
    const results = await query(wrong, asked(command), unknown);
    expect(results.map(({ found }) => found)).toEqual([false, true, false]);
    expect(results[0]).toEqual({ command_id: command.commandId, found: false });
    expect(await query()).toEqual([]);
  });

  it('422 where digests do not follow from the parts, 409 where the execution has another command; nothing more is written', async () => {
    const command = commandFor();
    expect(await submit(command, { business_key: 'contact/other' })).toEqual({ status: 422, body: { kind: 'digest-mismatch' } });
    expect(await count('run_command')).toBe(0);
    await submit(command);
    expect(await submit(command, { account: DESTINATION })).toEqual({ status: 409, body: { kind: 'conflicting-command' } });
    expect(await count('run_command')).toBe(1);
  });

  it.each<[string, object]>([
    ['command_id', { command_id: 'exe_0' }],
    ['account', { account: 'North Acme' }],
    ['execution_id', { execution_id: 7 }],
    ['epoch_digest', { epoch_digest: 'sha256:00' }],
    ['kind', { kind: 'push-contract' }],
    ['input_base64', { input_base64: 'not base64!' }],
    ['unknown member', { replay_mode: 'historical' }],
  ])('400 for a wrong %s, as a problem; nothing is written', async (_, over) => {
    const { status, body } = await submit(commandFor(), over);
    expect([status, body['status']]).toEqual([400, 400]);
    expect(await count('run_command')).toBe(0);
  });

  it('400 for more than 200 questions; 401 without a known token; nothing is written', async () => {
    const command = commandFor();
    const many = Array.from({ length: 201 }, () => ({ ...asked(command), command_id: CommandId.mint() }));
    expect((await post('/v1/results/query', { commands: many })).status).toBe(400);
    expect((await post('/v1/commands', bodyOf(command), 'other')).status).toBe(401);
    expect((await post('/v1/results/query', { commands: [] }, 'other')).status).toBe(401);
    expect(await count('run_command')).toBe(0);
  });

  it('202 for an input of one MiB', async () => {
    const command = commandFor({ externalId: 'rec-1', seq: 1, email: null, name: 'x'.repeat(1_048_576 - 53) });
    expect(command.input.length).toBe(1_048_576);
    expect((await submit(command)).status).toBe(202);
  });

  it('202 while the account is halting, and no result; a submission after it serves again gives one (con:OPEN-43)', async () => {
    const command = commandFor();
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2' WHERE account = ?", [Buffer.from(SOURCE)]);
    expect((await submit(command)).status).toBe(202);
    await service.stop();
    expect(await count('run_application_result')).toBe(0);
    await schema.sql("UPDATE con_serving_gate SET mode = 'v2_serving', fence = fence + 2");
    service = await bootOn(runtime, schema, home);
    await submit(command);
    expect(await resultOf(command)).toMatchObject({ outcome: 'applied' });
  });

  it('a stop finishes what was accepted: one hundred commands, one hundred results, a feed without gaps', async () => {
    const contacts = Array.from({ length: 100 }, (_, index) => ({ externalId: `rec-${index}`, seq: 1, email: null, name: 'Ada' }));
    const commands = contacts.map((input) => commandFor(input));
    expect((await Promise.all(commands.map((command) => submit(command)))).map(({ status }) => status)).toEqual(commands.map(() => 202));
    await service.stop();
    expect(await count('run_application_result')).toBe(100);
    const feed = await schema.sql('SELECT feed_seq FROM run_outbound_command ORDER BY feed_seq');
    expect(feed.map((row) => Number(row['feed_seq']))).toEqual(commands.map((_, index) => index + 1));
    expect(new Set(commands.map(({ executionId }) => ExecutionId.bytes(executionId).toString('hex'))).size).toBe(100);
  });

  it('livez, readyz and metrics without a token; outcomes by door and kind are counted', async () => {
    const command = commandFor();
    await submit(command);
    await resultOf(command);
    for (const path of ['livez', 'readyz', 'startupz']) expect((await fetch(`${service.url}/${path}`)).status).toBe(200);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/connector_outcomes_total\{door="accept-command",path="accept-command",kind="accepted"\} 1/);
    expect(metrics).toMatch(
      /connector_outcomes_total\{door="commit-application",path="commit-application author-outbound",kind="committed"\} 1/,
    );
  });
});
