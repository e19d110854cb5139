import { Digest } from '@connector/kernel/digest';
import { CommandId, ExecutionId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import { commitReceipt } from '@connector/runtime/model/documents';
import { executionClaimant } from '@connector/services/execution-claimant/src/execution-claimant.service';
import { callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { DEMO_POLICIES, demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { moveToNewEpoch, readyExecutions } from '@connector/testing/fixtures/execution';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { fakeRuntime, type FakeRuntime } from './fake-runtime.fixture';

let schema: TestSchema;
let home: TestHome;
let demo: DemoEpoch;
let runtime: FakeRuntime;
let service: RunningService | undefined;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret('tokens/execution-claimant/runtime', 'claimant-token');
  await tokensFor(home, 'execution-claimant', ['operator']);
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
  runtime = await fakeRuntime();
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await runtime.close();
});
afterAll(async () => {
  await schema.close();
  await home.remove();
});

async function boot(): Promise<RunningService> {
  service = await bootOn(executionClaimant, schema, home, { CONNECTOR_RUNTIME_URL: runtime.url, CONNECTOR_POLL_MS: '20' });
  return service;
}
async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    if (await holds()) return;
    await schema.sql('DO SLEEP(0.01)');
  }
  throw new Error(`never: ${what}`);
}
/** Until both loops have looked again this often. */
async function looks(times: number): Promise<void> {
  const seen = async (): Promise<number> => {
    const text = await (await fetch(`${service?.url}/metrics`)).text();
    const counts = ['claim', 'collect'].map((loop) =>
      [...text.matchAll(new RegExp(`connector_loop_runs_total\\{loop="${loop}",answer="\\w+"\\} (\\d+)`, 'g'))].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      ),
    );
    return Math.min(...counts);
  };
  const from = await seen();
  await until(async () => (await seen()) >= from + times, `${times} looks`);
}
const number = async (sql: string): Promise<number> => Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${sql}`))[0]?.['n']);
const completed = () => number("con_execution WHERE state = 'completed'");
const ready = (keys: readonly string[], demoAccount = demo.source) => readyExecutions(schema, demoAccount, keys);
const endLeases = () => schema.sql("UPDATE con_execution SET due_at = NOW(6) - INTERVAL 1 SECOND WHERE state = 'ready'");
const work = async (stage: string) => {
  const [row] = await schema.sql('SELECT due_at FROM con_account_work WHERE stage = ? AND account = ?', [stage, Buffer.from(SOURCE)]);
  return row?.['due_at'];
};
async function raise(stage: string): Promise<void> {
  await schema.sql('UPDATE con_account_work SET produced = produced + 1, due_at = NOW(6) WHERE stage = ?', [stage]);
}

/** What Runtime says of a command that it committed. */
function found(question: Record<string, unknown>, over: object = {}): object {
  const receipt = commitReceipt.build({
    receipt_protocol: 'nexuscrm.runtime-commit-receipt/v1',
    command_id: CommandId.bytes(question['command_id'] as CommandId).toString('hex'),
    execution_ref_digest: question['execution_ref_digest'] as Digest,
    result_digest: Digest.sha256(Buffer.from('result')),
  });
  return {
    command_id: question['command_id'],
    found: true,
    outcome: 'applied',
    result_digest: Digest.sha256(Buffer.from('result')),
    commit_receipt_base64: receipt.bytes.toString('base64'),
    commit_receipt_digest: receipt.digest,
    ...over,
  };
}

describe('contract › execution claimant submits', () => {
  it('each ready execution once, with its whole ExecutionRef and its input, under a lease of the frozen policy (con:CLM-O con:RCMD-F)', async () => {
    const ids = await ready(['a', 'b']);
    await boot();
    await until(() => runtime.submitted.length === 2, 'two submissions');
    const [row] = await schema.sql('SELECT * FROM con_execution WHERE execution_id = ?', [ExecutionId.bytes(ids[0] as ExecutionId)]);
    const first = runtime.submitted.find((command) => command['execution_id'] === ids[0]);
    expect(first).toEqual({
      command_id: CommandId.of(row?.['command_id'] as Buffer),
      account: SOURCE,
      execution_ref_digest: Digest.of(row?.['execution_ref_digest'] as Buffer),
      execution_id: ids[0],
      epoch_id: demo.epochId,
      epoch_digest: demo.source.epochDigest,
      pack_generation_storage_id: String(row?.['pack_generation_storage_id']),
      kind: 'inbound-route',
      business_key: 'thing/changed',
      definition_version: '1',
      input_base64: Buffer.from('{"mapped":{"key":"a"}}').toString('base64'),
      input_digest: Digest.of(row?.['input_digest'] as Buffer),
    });
    const lease = 'due_at > NOW(6) + INTERVAL 25 SECOND AND due_at <= NOW(6) + INTERVAL 30 SECOND';
    expect(DEMO_POLICIES.lease_ms).toBe(30_000);
    expect(await number(`con_execution WHERE attempt_count = 1 AND ${lease}`)).toBe(2);
  });

  it('nothing again while the lease stands, however often it looks; the same command after its end (con:CRASH-04 con:CLM-X, PUB-EXE-10)', async () => {
    await ready(['a']);
    await boot();
    await until(() => runtime.submitted.length === 1, 'a submission');
    await raise('execution');
    await looks(3);
    expect(runtime.submitted).toHaveLength(1);
    await endLeases();
    await raise('execution');
    await until(() => runtime.submitted.length === 2, 'a second submission');
    expect(runtime.submitted[1]).toEqual(runtime.submitted[0]);
    expect(await number('con_execution_attempt')).toBe(2);
  });

  it('a submission that was lost on the way again, after its lease; the account rests until then (con:CRASH-04)', async () => {
    await ready(['a']);
    runtime.submission = () => undefined;
    await boot();
    await until(() => runtime.submitted.length === 1, 'a submission');
    await until(async () => String(await work('execution')) > '2', 'a rest until the lease ends');
    expect(await number('con_account_work w JOIN con_execution e ON e.account = w.account AND e.due_at = w.due_at')).toBe(1);
    runtime.submission = () => ({ status: 202, body: { kind: 'accepted' } });
    await looks(2);
    expect(runtime.submitted).toHaveLength(1);
    await endLeases();
    await raise('execution');
    await until(() => runtime.submitted.length === 2, 'a second submission');
  });

  it('one claim a look while Runtime is away: what is claimed then waits for its lease', async () => {
    await ready(Array.from({ length: 60 }, (_, index) => `k${index}`));
    runtime.submission = () => undefined;
    await boot();
    await looks(3);
    // The first look finds out with its whole share; the looks that follow risk one execution each.
    expect(await number('con_execution WHERE attempt_count > 0')).toBeLessThanOrEqual(24);
    runtime.submission = () => ({ status: 202, body: { kind: 'accepted' } });
    await until(async () => (await number('con_execution WHERE attempt_count > 0')) === 60, 'all claimed');
  });

  it('a refused submission is no loop: it waits for its lease like any other, and its neighbours go on', async () => {
    const ids = await ready(['a', 'b', 'c']);
    runtime.submission = (command) =>
      command['execution_id'] === ids[1]
        ? { status: 409, body: { kind: 'conflicting-command' } }
        : { status: 202, body: { kind: 'accepted' } };
    await boot();
    await until(() => runtime.submitted.length === 3, 'three submissions');
    await looks(3);
    expect(runtime.submitted).toHaveLength(3);
    expect(await completed()).toBe(0);
  });

  it('at most four at once and 256 in all until results come', async () => {
    await ready(Array.from({ length: 300 }, (_, index) => `k${index}`));
    runtime.submission = async () => {
      await schema.sql('DO SLEEP(0.001)');
      return { status: 202, body: { kind: 'accepted' } };
    };
    await boot();
    await until(() => runtime.submitted.length >= 256, '256 submissions');
    await looks(3);
    expect([runtime.submitted.length, await number('con_execution WHERE attempt_count > 0')]).toEqual([256, 256]);
    expect(runtime.mostAtOnce).toBeLessThanOrEqual(4);
    runtime.result = (question) => found(question);
    await raise('result');
    await until(async () => (await completed()) >= 256, '256 results');
    await until(() => runtime.submitted.length === 300, 'the rest');
  });

  it('work of several accounts, one behind the other: a busy account does not keep another waiting', async () => {
    await ready(Array.from({ length: 100 }, (_, index) => `k${index}`));
    await schema.sql("INSERT INTO con_channel_key_gate (account, channel, fence) VALUES (?, 'hook', 1)", [Buffer.from(DESTINATION)]);
    await ready(['other'], demo.destination);
    await boot();
    await until(() => runtime.submitted.some((command) => command['account'] === DESTINATION), 'the other account');
    expect(runtime.submitted.length).toBeLessThanOrEqual(80);
  });

  it.each(['halting_v2', 'v2_halted'])(
    'nothing while the gate is %s, and the account rests until somebody raises it (con:INV-03)',
    async (mode) => {
      await ready(['a']);
      await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
      await boot();
      await until(async () => (await work('execution')) === null, 'rest');
      await schema.sql("UPDATE con_serving_gate SET mode = 'v2_serving', fence = fence + 2");
      await looks(2);
      expect(runtime.submitted).toEqual([]);
      await raise('execution');
      await until(() => runtime.submitted.length === 1, 'a submission');
    },
  );

  it('nothing that another epoch admitted (con:CHN-05)', async () => {
    await ready(['a']);
    await moveToNewEpoch(schema, demo.source);
    await boot();
    await until(async () => (await work('execution')) === null, 'rest');
    expect([runtime.submitted.length, await number('con_execution_attempt')]).toEqual([0, 0]);
  });
});

describe('contract › execution claimant records', () => {
  it('the result of a claimed execution: completed with the owner’s receipt, and the account rests (con:RREC-W con:EXEC-02)', async () => {
    await ready(['a']);
    await boot();
    await until(() => runtime.submitted.length === 1, 'a submission');
    expect(await completed()).toBe(0);
    runtime.result = (question) => found(question);
    await raise('result');
    await until(async () => (await completed()) === 1, 'completion');
    const [row] = await schema.sql('SELECT commit_receipt, commit_receipt_digest FROM con_result_correlation');
    const parsed = commitReceipt.parse(row?.['commit_receipt'] as Buffer);
    expect(Digest.bytes(parsed.digest)).toEqual(row?.['commit_receipt_digest']);
    await until(async () => (await work('result')) === null, 'rest');
  });

  it('a result that came after the lease ended, and one whose submission got no answer (con:CRASH-06)', async () => {
    await ready(['a']);
    runtime.submission = () => undefined;
    await boot();
    await until(() => runtime.submitted.length === 1, 'a submission');
    runtime.result = (question) => found(question);
    await endLeases();
    await raise('result');
    await until(async () => (await completed()) === 1, 'completion');
  });

  it('nothing that is absent, and asks again by itself within half a minute', async () => {
    await ready(['a']);
    await boot();
    await until(() => runtime.submitted.length === 1, 'a submission');
    await raise('result');
    await until(() => runtime.questions.length > 0, 'a question');
    const soon =
      "con_account_work WHERE stage = 'result' AND due_at > NOW(6) + INTERVAL 20 SECOND AND due_at <= NOW(6) + INTERVAL 30 SECOND";
    await until(async () => (await number(soon)) === 1, 'a later look');
    expect(await completed()).toBe(0);
  });

  it.each<[string, object]>([
    ['receipt of other bytes', { commit_receipt_base64: Buffer.from('{}').toString('base64') }],
    ['receipt under another digest', { commit_receipt_digest: Digest.sha256(Buffer.from('x')) }],
    ['result that the receipt does not name', { result_digest: Digest.sha256(Buffer.from('x')) }],
    ['result without a digest', { result_digest: 7 }],
  ])('nothing for a %s (con:RREC-P con:INV-24)', async (_, over) => {
    await ready(['a']);
    runtime.result = (question) => found(question, over);
    await boot();
    await until(() => runtime.submitted.length === 1, 'a submission');
    await raise('result');
    await until(() => runtime.questions.length > 0, 'a question');
    await looks(2);
    expect([await completed(), await number('con_result_correlation')]).toEqual([0, 0]);
  });

  it('all results of an account, in questions of at most 200, while it is halting too (con:OPEN-15)', async () => {
    const ids = await ready(Array.from({ length: 230 }, (_, index) => `k${index}`));
    await boot();
    await until(() => runtime.submitted.length === 230, 'all submitted');
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2'");
    runtime.result = (question) => found(question);
    await raise('result');
    await until(async () => (await completed()) === ids.length, 'all completed');
    const sizes = runtime.questions.map((asked) => asked.length);
    expect(Math.max(...sizes)).toBe(200);
  });

  it('200 to the operator: which wake is in use, and how long due work waited, by wakes and by polling; 401 to others', async () => {
    const running = await boot();
    await ready(['a']);
    await until(() => runtime.submitted.length === 1, 'the claim');
    const { status, body } = await callsTo(running, 'operator').get('/v1/wakes');
    expect([status, body]).toEqual([
      200,
      { adapter: 'silent', state: 'off', by_wake: { count: 0, median_ms: null }, by_poll: { count: 1, median_ms: expect.any(Number) } },
    ]);
    expect((await callsTo(running).get('/v1/wakes')).status).toBe(401);
    expect(await (await fetch(`${running.url}/metrics`)).text()).toMatch(/connector_claim_delay_seconds_count\{led="poll"\} 1/);
  });

  it('livez, readyz and metrics without a token; it takes no request', async () => {
    const { url } = await boot();
    for (const path of ['livez', 'readyz', 'startupz']) expect((await fetch(`${url}/${path}`)).status).toBe(200);
    expect((await fetch(`${url}/v1/anything`, { method: 'POST' })).status).toBe(404);
  });
});
