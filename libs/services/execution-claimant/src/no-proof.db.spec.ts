import { Digest } from '@connector/kernel/digest';
import { CommandId, GenerationId, type ExecutionId } from '@connector/kernel/ids';
import { readSubmission } from '@connector/connector/reads/execution/submission';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import type { ServiceClient } from '@connector/platform/http/service-client';
import { Log } from '@connector/platform/telemetry/log';
import { commitReceipt } from '@connector/runtime/model/documents';
import { acceptCommand, type RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { readyExecutions } from '@connector/testing/fixtures/execution';
import { CollectLoop } from './collect-loop';
import { RuntimeClient } from './runtime-client';

let schema: TestSchema;
let served: ServedAccount;
let executionId: ExecutionId;
let command: RuntimeCommand;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  [executionId] = (await readyExecutions(schema, served, ['a'])) as [ExecutionId];
  await claimExecutions(schema.db, served, { claimant: 'c-1', leaseMs: 60_000, executions: [executionId] });
  command = (await readSubmission(schema.db, executionId)) as RuntimeCommand;
});
afterAll(() => schema.close());

const RESULT = Digest.sha256(Buffer.from('result'));
/** What a Runtime may answer of a command that it never committed. */
const absent = () => ({ command_id: command.commandId, found: false });
const claimed = (receipt: Buffer, digest: string) => ({
  command_id: command.commandId,
  found: true,
  outcome: 'applied',
  result_digest: RESULT,
  commit_receipt_base64: receipt.toString('base64'),
  commit_receipt_digest: digest,
});
function receiptOf(over: object) {
  const identity = {
    command_id: CommandId.bytes(command.commandId).toString('hex'),
    execution_ref_digest: command.executionRefDigest,
    result_digest: RESULT,
  };
  return commitReceipt.build({ receipt_protocol: 'nexuscrm.runtime-commit-receipt/v1', ...identity, ...over });
}

const exact = (over: object) => {
  const receipt = receiptOf(over);
  return claimed(receipt.bytes, receipt.digest);
};

/** One look of the loop that collects results, at a Runtime that answers this. */
async function collect(status: number, results: readonly object[]): Promise<string> {
  await schema.sql("UPDATE con_account_work SET due_at = NOW(6) WHERE stage = 'result'");
  const call: ServiceClient['call'] = () => Promise.resolve({ status, body: { results } });
  const runtime = new RuntimeClient({ call, close: () => Promise.resolve() });
  const log = new Log({ service: 'test', generation: 'test', level: 'error', destination: { write: () => undefined } });
  const loop = new CollectLoop({ db: schema.db, runtime, recorded: () => undefined, log });
  return loop.once(new AbortController().signal).catch((error: unknown) => (error as { code: string }).code);
}
async function isOpen(): Promise<void> {
  const [row] = await schema.sql('SELECT state, (SELECT COUNT(*) FROM con_result_correlation) AS n FROM con_execution');
  expect([String(row?.['state']), Number(row?.['n'])]).toEqual(['ready', 0]);
}

describe('a signal alone', () => {
  it('uncompleted: con:INV-24 acceptance by the Runtime inbox, durable as it is', async () => {
    expect(await acceptCommand(schema.db, command, GenerationId.mint())).toMatchObject({ kind: 'accepted' });
    expect(await collect(200, [absent()])).toBe('idle');
    await isOpen();
  });

  it('uncompleted: con:INV-24 a handoff receipt in place of a commit receipt', async () => {
    const handoff = Buffer.from(JSON.stringify({ command_id: command.commandId, handed_over: true }));
    expect(await collect(200, [claimed(handoff, Digest.sha256(handoff))])).toBe('idle');
    await isOpen();
  });

  it.each([
    ['without a receipt', () => claimed(Buffer.alloc(0), RESULT)],
    ['whose receipt names another command', () => exact({ command_id: '00'.repeat(16) })],
    ['whose receipt names another ExecutionRef', () => exact({ execution_ref_digest: RESULT })],
    ['whose receipt names another result', () => exact({ result_digest: Digest.sha256(Buffer.from('other')) })],
    ['whose receipt has another digest', () => claimed(receiptOf({}).bytes, RESULT)],
  ])('uncompleted: con:INV-24 con:RREC-P a worker’s reply %s', async (_what, reply) => {
    expect(await collect(200, [reply()])).toBe('idle');
    await isOpen();
  });

  it.each([200, 201, 202, 204])('uncompleted: con:INV-24 HTTP status %s with nothing in it', async (status) => {
    expect(await collect(status, [])).toBe('HOUSE:execution-claimant:AnswerUnreadable');
    await isOpen();
  });

  it('uncompleted: con:INV-24 con:INV-19 a lease that ran out', async () => {
    await schema.sql("UPDATE con_execution SET due_at = '2001-01-01'");
    expect(await collect(200, [absent()])).toBe('idle');
    await isOpen();
  });

  it('completed: by the receipt of the commit, and by nothing less', async () => {
    expect(await collect(200, [exact({})])).toBe('worked');
    expect((await schema.sql('SELECT state FROM con_execution')).map((row) => String(row['state']))).toEqual(['completed']);
  });
});
