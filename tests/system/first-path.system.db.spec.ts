import { ID_PREFIXES, OperationId, ReceiptId } from '@connector/kernel/ids';
import type { Service } from '@connector/kernel/roles';
import { Ending } from '@connector/services/local/src/ending';
import { CHANNELS } from '@connector/services/local/src/demo/world';
import { tellStory } from '@connector/services/local/src/demo/story';
import { auditSystem } from '@connector/testing/system/audit';
import { readAllRows } from '@connector/testing/system/audit/rows';
import { quiet } from '@connector/testing/system/quiet';
import { contentOf, differences, OF_SERVICE } from '@connector/testing/system/same-rows';
import { type Answered, contact } from '@connector/testing/system/source';
import { openSystem, SERVICE_NAMES, type SystemUnderTest } from '@connector/testing/system/system';
import { until, when } from '@connector/testing/system/until';

const DESK = 'tern/acme';
const STEP_MS_MAX = 30_000;
const ID = new RegExp(`\\b(?:${Object.values(ID_PREFIXES).join('|')})_[0-9a-z]{26}\\b`, 'g');
/** What the operator knows by its id; epochs, generations and operations are told inside the answers about others. */
const ASKED = /^(rcp|evt|prj|exe|cmd|obc|eff|prm|lnk)_/;

let system: SystemUnderTest;
const printed: string[] = [];
beforeAll(async () => {
  system = await openSystem();
}, 120_000);
afterAll(() => system?.close(), 60_000);

const count = async (text: string): Promise<number> => Number((await system.sql(`SELECT COUNT(*) AS n FROM ${text}`))[0]?.['n']);
const modeOf = async (account: string): Promise<string> =>
  String((await system.sql('SELECT mode FROM con_serving_gate WHERE account = ?', [account]))[0]?.['mode']);

async function operator(method: 'GET' | 'POST', path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await (await system.client('operator')).call(method, path, body);
  return { status: answer.status, body: answer.body as Record<string, unknown> };
}

/** As a person does it: the plan first, then exactly that plan. */
async function move(verb: 'halt' | 'resume'): Promise<void> {
  const planned = await operator('POST', '/v1/accounts/plan', { verb, account: DESK });
  expect(planned.status).toBe(200);
  const confirm = { account: DESK, confirm: planned.body['digest'], operation_id: OperationId.mint(), by: 'test', reason: 'test' };
  expect((await operator('POST', `/v1/accounts/${verb}`, confirm)).status).toBe(200);
}

/** The product sent the story's webhook itself, and printed how it was answered. */
async function findings(): Promise<readonly string[]> {
  const receipts = await readAllRows(system.db);
  const told = receipts.receipts.filter(({ receipt_id }) => printed.join('\n').includes(receipt_id));
  const sent = told.map(({ account, channel, transport_key: transportKey, payload_digest: payloadDigest, receipt_id: receiptId }) => ({
    ...{ account, channel, transportKey, payloadDigest, items: 1 },
    answers: [{ kind: 'answered' as const, status: 202, receiptId }],
  }));
  expect(sent).toHaveLength(1);
  return (await auditSystem({ ...system, source: { sent: [...system.source.sent, ...sent] } })).findings;
}

describe('the first path', () => {
  it('told: one webhook from outside to a settled call, row by row', async () => {
    await tellStory(system.local, new Ending(), (line) => void printed.push(line));
    await quiet(system);
    expect(await count("con_remote_effect WHERE state = 'finalized'")).toBe(1);
    expect((await system.provider.entries()).filter(({ executed }) => executed)).toHaveLength(1);
    expect(await findings()).toEqual([]);
  }, 60_000);

  it('answered: lineage and explain know every id that was printed, and every id that they print themselves', async () => {
    const open = [...new Set(printed.join('\n').match(ID) ?? [])].filter((id) => ASKED.test(id));
    expect(open.length).toBeGreaterThan(0);
    const asked = new Set<string>();
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      asked.add(id);
      for (const verb of ['lineage', 'explain']) {
        const answer = await operator('GET', `/v1/${verb}/${id}`);
        expect([id, verb, answer.status]).toEqual([id, verb, 200]);
        const told = JSON.stringify(answer.body).match(ID) ?? [];
        open.push(...new Set(told.filter((other) => ASKED.test(other) && !asked.has(other) && !open.includes(other))));
      }
    }
    expect(new Set([...asked].map((id) => id.slice(0, 3)))).toEqual(
      new Set(['rcp', 'evt', 'prj', 'exe', 'cmd', 'obc', 'eff', 'prm', 'lnk']),
    );
  }, 60_000);

  it('held: a halt lets the call that is under way end, then holds; what comes meanwhile is kept, and the resume goes on with it', async () => {
    await system.provider.plan('slow', 1, 3_000);
    await system.source.deliver('hook', contact('halt-1'), 'msg_halt_1');
    await until('a call is under way', STEP_MS_MAX, async () => when((await count("con_dispatch_permit WHERE state = 'sending'")) === 1));
    await move('halt');
    expect(await modeOf(DESK)).toBe('halting_v2');
    await until('the account is held', STEP_MS_MAX, async () => when((await modeOf(DESK)) === 'v2_halted'));
    expect(await count("con_dispatch_permit WHERE state = 'returned'")).toBe(2);
    await system.source.deliver('hook', contact('halt-2'), 'msg_halt_2');
    const waiting = await system.source.once('hints', { hints: [] }, 'hint_halted');
    expect(waiting).toMatchObject({ kind: 'answered', status: 503 });
    expect(await findings()).toEqual([]);
    await move('resume');
    await quiet(system);
    expect(await count("con_remote_effect WHERE state = 'finalized'")).toBe(3);
    expect(await findings()).toEqual([]);
  }, 90_000);

  it('tried again: con:REFF-06 what the desk did not process waits as long as it asks, then is done once; the ledgers agree', async () => {
    await system.provider.plan('429', 2, 1_000);
    await system.source.deliver('hook', contact('busy-1'), 'msg_busy_1');
    await until('a call is refused for now', STEP_MS_MAX, async () =>
      when((await count("con_effect_evidence WHERE outcome = 'no_effect'")) > 0),
    );
    await quiet(system);
    expect(await count("con_remote_effect WHERE attempt_count = 3 AND state = 'finalized'")).toBe(1);
    const [waits] = await system.sql('SELECT MIN(retry_ms) AS least, COUNT(*) AS n FROM con_effect_evidence WHERE status = 429');
    expect([Number(waits?.['least']) >= 1_000, Number(waits?.['n'])]).toEqual([true, 2]);
    expect(await findings()).toEqual([]);
  }, 60_000);

  const EVENT = contact('evt-7f');
  const answers: Answered[] = [];
  const again = async (): Promise<void> => void answers.push(await system.source.once('hook', EVENT, 'evt-7f'));

  it('202: the first delivery of one id is admitted, before anything is killed', async () => {
    await again();
    await quiet(system);
  }, 60_000);

  async function killedAtRest(name: Service, others: readonly Service[] = SERVICE_NAMES): Promise<void> {
    const [before, served] = [await contentOf(system), await contentOf(system, OF_SERVICE)];
    const arrived = await system.provider.arrived();
    await system.kill(name);
    await system.ready(others);
    await quiet(system);
    expect(differences(before, await contentOf(system))).toEqual([]);
    expect(served['con_serving_gate']).toHaveLength(CHANNELS.length);
    expect(differences(served, await contentOf(system, OF_SERVICE))).toEqual([]);
    expect(await system.provider.arrived()).toEqual(arrived);
  }

  const WORKERS: readonly Service[] = ['ingress', 'execution-claimant', 'runtime', 'egress-adapter', 'outbound-dispatcher'];
  const WITHOUT_CATALOG = SERVICE_NAMES.filter((name) => name !== 'catalog');

  it.each(WORKERS)(
    'unchanged: %s killed at a quiet moment and started again, while the catalog answers nobody',
    async (name) => {
      system.local.supervisor.kill('catalog', 'SIGSTOP');
      await killedAtRest(name, WITHOUT_CATALOG);
      if (name === 'ingress') await again();
    },
    60_000,
  );

  it('settled: one webhook to its settled call through services that began while the catalog answered nobody (decisions 12.8)', async () => {
    const finalized = (): Promise<number> => count("con_remote_effect WHERE state = 'finalized'");
    const before = await finalized();
    const asked = (await system.client('catalog')).call('GET', '/readyz', undefined, { signal: AbortSignal.timeout(200) });
    await expect(asked).rejects.toThrow();
    await system.source.deliver('hook', contact('no-catalog'), 'msg_no_catalog');
    await until('it is settled', STEP_MS_MAX, async () => when((await finalized()) > before));
    system.local.supervisor.kill('catalog', 'SIGCONT');
    await system.ready();
    await quiet(system);
    expect(await findings()).toEqual([]);
  }, 60_000);

  it.each(SERVICE_NAMES.filter((name) => !WORKERS.includes(name)))(
    'unchanged: %s killed at a quiet moment and started again',
    (name) => killedAtRest(name),
    60_000,
  );

  it('one id across restarts: 202, then 200 after a kill of ingress and 200 after a kill of every service, one receipt, and the handler ran once (PUB-ING-03)', async () => {
    await again();
    await quiet(system);
    const receiptId = answers[0]?.kind === 'answered' ? answers[0].receiptId : null;
    expect(answers).toEqual([202, 200, 200].map((status) => ({ kind: 'answered', status, receiptId })));
    const of = `e JOIN con_projection p ON p.projection_id = e.projection_id JOIN con_event v ON v.event_id = p.event_id
      WHERE v.receipt_id = ?`;
    const counts = `SELECT COUNT(*) AS executions, SUM(e.attempt_count) AS attempts, SUM(e.state = 'completed') AS completed,
      (SELECT COUNT(*) FROM run_application_result r JOIN run_command c ON c.command_id = r.command_id
        WHERE c.execution_id IN (SELECT e.execution_id FROM con_execution ${of})) AS results FROM con_execution ${of}`;
    const receipt = ReceiptId.bytes(ReceiptId.parse(receiptId ?? ''));
    const [ran] = await system.sql(counts, [receipt, receipt]);
    const numbers = Object.fromEntries(Object.entries(ran ?? {}).map(([name, n]) => [name, Number(n)]));
    expect(numbers).toEqual({ executions: 1, attempts: 1, completed: 1, results: 1 });
    expect(await findings()).toEqual([]);
  }, 60_000);
});
