import { request } from 'node:http';
import type { Service } from '@connector/kernel/roles';
import { OperationId } from '@connector/kernel/ids';
import { ask } from '@connector/services/local/src/demo/ask';
import { egressTokenRef } from '@connector/services/local/src/mint-secrets';
import { ADAPTER } from '@connector/services/local/src/plan';
import { auditSystem } from '@connector/testing/system/audit';
import { quiet } from '@connector/testing/system/quiet';
import { contact } from '@connector/testing/system/source';
import { openSystem, type SystemUnderTest } from '@connector/testing/system/system';
import { until, when } from '@connector/testing/system/until';

const DESK = 'tern/acme';
const STEP_MS_MAX = 30_000;
/** The frozen call is answered long after everything here is over. */
const SLOW_MS = 9_000;

let system: SystemUnderTest;
beforeAll(async () => {
  // One call at a time: what waits behind it is what a woken adapter would like to send next.
  system = await openSystem({ settings: { POLL_MS: '250', CALL_SLOTS: '1' } });
}, 120_000);
afterAll(() => system?.close(), 60_000);

const count = async (text: string, values: readonly unknown[] = []): Promise<number> =>
  Number((await system.sql(`SELECT COUNT(*) AS n FROM ${text}`, values))[0]?.['n']);
const sending = (): Promise<number> => count("con_dispatch_permit WHERE state = 'sending'");
const modeOf = async (account: string): Promise<string> =>
  String((await system.sql('SELECT mode FROM con_serving_gate WHERE account = ?', [account]))[0]?.['mode']);
const receipts = async (): Promise<number> => (await count('ctl_isolation')) + (await count('ctl_termination'));
const viewOf = (name: Service) => system.local.supervisor.services.find((one) => one.name === name);

/** Two deliveries, the first one's call under way and unanswered, the adapter frozen in the middle of it. */
async function frozenInACall(name: string): Promise<string> {
  await system.provider.plan('slow', 1, SLOW_MS);
  const before = (await system.provider.arrived()).requests;
  await Promise.all(['a', 'b'].map((which) => system.source.deliver('hook', contact(`${name}-${which}`), `msg_${name}_${which}`)));
  await until('a call is under way', STEP_MS_MAX, async () =>
    when((await sending()) === 1 && (await system.provider.arrived()).requests > before),
  );
  system.local.supervisor.kill(ADAPTER, 'SIGSTOP');
  return viewOf(ADAPTER)?.generation ?? '';
}

async function move(verb: 'halt' | 'resume'): Promise<string> {
  const [gate] = await system.sql('SELECT fence FROM con_serving_gate WHERE account = ?', [DESK]);
  const body = { account: DESK, expected_fence: String(gate?.['fence']), operation_id: OperationId.mint(), by: 'test', reason: 'test' };
  return (await ask(await system.client('cutover-coordinator'), 'POST', `/v1/accounts/${verb}`, body)).kind;
}

/** What the proxy answers to this token now. */
function statusAtProxy(token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'proxy-authorization': `Bearer ${token}`, host: 'desk.tern.example' };
    const call = request({ port: system.local.ports['egress-proxy'], path: 'http://desk.tern.example/v1/tickets', headers, agent: false });
    call.once('response', (response) => resolve(response.resume().statusCode ?? 0));
    call.once('error', reject).end();
  });
}

describe('isolation', () => {
  it('isolated: a frozen adapter is cut off before it is ended, and only then is the receipt written; its call is uncertain and the halt completes', async () => {
    const generation = await frozenInACall('cut');
    const token = await system.local.store.read(egressTokenRef(generation));
    const arrived = await system.provider.arrived();
    const before = await receipts();
    expect(await move('halt')).toBe('halting');
    // However long it takes: a frozen holder keeps the account from being held, and nothing is released by time (con:PRMT-05).
    expect(await modeOf(DESK)).toBe('halting_v2');
    expect(await receipts()).toBe(before);
    const isolating = system.local.supervisor.isolate();
    // Between the withdrawal and its end it may run.
    system.local.supervisor.kill(ADAPTER, 'SIGCONT');
    expect(await isolating).toBe(generation);
    await until('both receipts stand', STEP_MS_MAX, async () => when((await receipts()) >= before + 2));
    expect(await statusAtProxy(token)).toBe(407);
    await until('the account is held', STEP_MS_MAX, async () => when((await modeOf(DESK)) === 'v2_halted'));
    expect(await count("con_remote_effect WHERE state = 'uncertain'")).toBe(1);
    // By whoever came first: the adapter that woke up and saw its call cut, or the coordinator behind both receipts.
    expect(await count("con_dispatch_permit WHERE state IN ('abandoned', 'returned') AND io_may_have_started = 1")).toBe(1);
    expect(await count('con_dispatch_permit WHERE open_account IS NOT NULL')).toBe(0);
    expect(await system.provider.arrived()).toEqual(arrived);
  }, 90_000);

  it('goes on: after the resume the call that waited is made, by another adapter', async () => {
    await system.ready([ADAPTER]);
    expect(await move('resume')).toBe('serving');
    await quiet(system);
    expect(await count("con_remote_effect WHERE state = 'finalized'")).toBe(1);
    expect((await auditSystem(system)).findings).toEqual([]);
  }, 90_000);

  it('not one byte: an adapter that wakes up after the withdrawal, and lives, reaches no provider, and no receipt is written while it lives', async () => {
    await frozenInACall('woken');
    const before = await receipts();
    const [arrived, uncertain] = [await system.provider.arrived(), await count("con_remote_effect WHERE state = 'uncertain'")];
    await system.local.supervisor.withdraw();
    expect(await system.provider.arrived()).toEqual(arrived);
    system.local.supervisor.kill(ADAPTER, 'SIGCONT');
    // Its call was cut: it says so itself, tries to go on, and finds its way out shut.
    await until('the cut call is settled', STEP_MS_MAX, async () =>
      when((await count("con_remote_effect WHERE state = 'uncertain'")) === uncertain + 1),
    );
    await until('it says that its way is shut', STEP_MS_MAX, async () =>
      when((await fetch(`${system.local.url(ADAPTER)}/readyz`)).status === 503),
    );
    expect(await system.provider.arrived()).toEqual(arrived);
    expect(await receipts()).toBe(before);
    await system.kill(ADAPTER);
    await system.ready([ADAPTER]);
    await quiet(system);
    expect(await receipts()).toBe(before + 2);
    const after = await auditSystem(system);
    expect(after.findings).toEqual([]);
    expect(after.uncertain).toHaveLength(2);
  }, 90_000);
});
