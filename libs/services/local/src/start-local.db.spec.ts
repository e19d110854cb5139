import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DB_ROLES } from '@connector/kernel/roles';
import { type Ask, withConnection } from '@connector/platform/engine/connect';
import { testDatabase } from '@connector/testing/engine';
import { nodesOf, type Lineage } from '@connector/connector/model/lineage/lineage';
import { ask, textOf } from './demo/ask';
import { beginDemo } from './demo/begin';
import { deliveryOf } from './demo/packs';
import { sendWebhook } from './demo/webhook';
import { channelOf } from './demo/world';
import { tokenRef } from './mint-secrets';
import { type LocalSystem, startLocal } from './start-local';

const ROOT = resolve(__dirname, '../../../..');
const START_MS = 120_000;
const LOOKS = 400;

const id = randomBytes(3).toString('hex');
const [mainDatabase, journalDatabase] = [`loc_${id}`, `loc_${id}_j`];
const told: string[] = [];
let home: string;
let system: LocalSystem;

function start(): Promise<LocalSystem> {
  const engine = { ...testDatabase(), source: 'given', mainDatabase, journalDatabase };
  const portShift = 20_000 + Number(process.env['JEST_WORKER_ID'] ?? 1) * 100;
  return startLocal({ home, engine, portShift, tell: (line) => void told.push(line) });
}

function asAdmin<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
  const { host, port, user, password } = testDatabase();
  return withConnection({ host, port, user, password }, work);
}

beforeAll(async () => {
  execFileSync(process.execPath, [join(ROOT, 'tools', 'build.mjs')], { cwd: ROOT });
  home = await mkdtemp(join(tmpdir(), 'local-'));
  system = await start();
  await system.supervisor.ready(START_MS);
  expect(await beginDemo(system)).toEqual({ kind: 'begun', kept: [] });
}, START_MS);

afterAll(async () => {
  await system.stop();
  await asAdmin(async (sql) => {
    for (const name of [mainDatabase, journalDatabase]) await sql(`DROP DATABASE IF EXISTS ${name}`);
    if (testDatabase().grantsEnforced) for (const role of DB_ROLES) await sql(`DROP USER IF EXISTS '${mainDatabase}_${role}'@'%'`);
  });
  await rm(home, { recursive: true });
}, START_MS);

/** Asks the system itself, again and again: other processes do the work and there is nothing to wait on but what they show. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await asAdmin((sql) => sql('SELECT SLEEP(0.05)'));
  }
  throw new Error(`did not happen: ${look.toString()}\n${told.join('\n')}`);
}

/** The tree of a receipt as soon as every effect in it is finalized. */
async function settled(receipt: string): Promise<Lineage> {
  const operator = await system.client('operator');
  return until(async () => {
    const lineage = (await ask(operator, 'GET', `/v1/lineage/${receipt}`)).body as Lineage;
    const effects = [...nodesOf(lineage.root)].filter(({ kind }) => kind === 'effect');
    return effects.length > 0 && effects.every(({ state }) => state === 'finalized') ? lineage : undefined;
  });
}

async function send(): Promise<string> {
  const changes = [{ recordId: `rec-${randomBytes(4).toString('hex')}`, seq: 1, email: null, name: 'Ada' }];
  const sent = await sendWebhook(system, channelOf('hook'), Buffer.from(JSON.stringify({ changes })));
  expect(sent.status).toBe(202);
  return textOf(Object(sent.body), 'receipt_id');
}

async function executedCalls(): Promise<number> {
  const simulator = await system.client('provider-simulator');
  const { entries } = (await ask(simulator, 'GET', '/_control/ledger')).body as { entries: { executed: boolean }[] };
  return entries.filter(({ executed }) => executed).length;
}

const rows = (text: string): Promise<readonly (readonly string[])[]> =>
  asAdmin(async (sql) => {
    await sql(`USE ${mainDatabase}`);
    return sql(text);
  });

function control(verb: 'GET' | 'POST', path: string, token: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(`${system.url('local')}${path}`, { method: verb, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

describe('a whole system on one machine', () => {
  it('settled: one signed webhook becomes one provider call, and its rows can be followed to the link', async () => {
    const lineage = await settled(await send());
    const states = [...nodesOf(lineage.root)].map(({ kind, state }) => `${kind} ${state ?? ''}`.trim());
    expect(states).toEqual(
      expect.arrayContaining(['receipt stored', 'execution completed', 'result applied', 'effect finalized', 'link active']),
    );
    expect(await executedCalls()).toBe(1);
  }, 60_000);

  it('served-before: beginning again finds the first epoch active, and a redelivery the receipt that stands', async () => {
    expect(await beginDemo(system)).toEqual({ kind: 'served-before' });
    const body = deliveryOf('larkspur-crm', 'one-contact');
    const first = await sendWebhook(system, channelOf('hook'), body, 'msg_again');
    const second = await sendWebhook(system, channelOf('hook'), body, 'msg_again');
    expect([first.status, second.status]).toEqual([202, 200]);
    expect(textOf(Object(second.body), 'receipt_id')).toBe(textOf(Object(first.body), 'receipt_id'));
  });

  it('completed: a delivery of GitHub is one execution of the third pack, and nothing is sent for it', async () => {
    const sent = await sendWebhook(system, channelOf('events'), deliveryOf('github', 'star-created'), 'd-1', { 'x-github-event': 'star' });
    expect(sent.status).toBe(202);
    const noted = await until(async () => {
      const [row] = await rows("SELECT value FROM run_record WHERE collection = 'delivery' AND value IS NOT NULL");
      return row;
    });
    expect(noted).toEqual(['{"action":"created","event":"star"}']);
    const ordered = await rows(
      "SELECT COUNT(*) FROM run_outbound_command o JOIN con_execution e ON e.execution_id = o.execution_id WHERE e.account = 'github/acme'",
    );
    expect(ordered).toEqual([['0']]);
  }, 60_000);

  it('proved: an adapter that was killed while control could not answer has both receipts once it can (con:TERM-F, con:ISO-F)', async () => {
    const { generation } = system.supervisor.services.find(({ name }) => name === 'egress-adapter') ?? {};
    system.supervisor.kill('control', 'SIGSTOP');
    system.supervisor.kill('egress-adapter', 'SIGKILL');
    await until(async () => {
      const now = system.supervisor.services.find(({ name }) => name === 'egress-adapter');
      return now?.state === 'ready' && now.generation !== generation ? now : undefined;
    });
    system.supervisor.kill('control', 'SIGCONT');
    await until(async () => (told.some((line) => line.includes(`${generation} ended`)) ? true : undefined));
    const [[terminations, isolations] = []] = await rows(
      "SELECT (SELECT COUNT(*) FROM ctl_termination WHERE supervisor = 'local'), (SELECT COUNT(*) FROM ctl_isolation WHERE controller = 'local-egress-proxy')",
    );
    expect([terminations, isolations]).toEqual(['1', '1']);
    await settled(await send());
  }, 60_000);

  it('isolated: by the control endpoint, for whoever has its token, and for nobody else', async () => {
    expect((await control('GET', '/v1/services', 'guess')).status).toBe(401);
    const token = await system.store.read(tokenRef('cli', 'local'));
    const { services } = (await (await control('GET', '/v1/services', token)).json()) as { services: { name: string; pssBytes: number }[] };
    expect(services).toHaveLength(10);
    const isolated = await control('POST', '/v1/services/egress-adapter/isolate', token);
    const { generation } = (await isolated.json()) as { generation: string };
    await until(async () => (told.some((line) => line.includes(`${generation} ended`)) ? true : undefined));
    expect((await control('POST', '/v1/services/nobody/kill', token)).status).toBe(422);
    await settled(await send());
  }, 60_000);

  it(
    'resumed: stopped and started in the same folder it serves the same epoch, and no permit was left open',
    async () => {
      await system.stop();
      system = await start();
      await system.supervisor.ready(START_MS);
      expect(await beginDemo(system)).toEqual({ kind: 'served-before' });
      const before = await executedCalls();
      await settled(await send());
      expect(await executedCalls()).toBe(before + 1);
      const [[open] = []] = await rows("SELECT COUNT(*) FROM con_dispatch_permit WHERE state IN ('granted', 'sending')");
      expect(open).toBe('0');
    },
    START_MS,
  );
});
