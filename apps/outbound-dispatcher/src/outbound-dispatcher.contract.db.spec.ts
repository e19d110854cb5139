import type { CredentialGenerationId } from '@connector/kernel/ids';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import type { RunningService } from '@connector/platform/host/service';
import { outboundDispatcher } from '@connector/services/outbound-dispatcher/src/outbound-dispatcher.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  registered,
  revoke,
  sending,
  settlement,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const TOKEN = 'token-between-adapter-and-dispatcher';
let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let holder: TestHolder;
let credential: CredentialGenerationId;
let accounts: readonly ServedAccount[];

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret('tokens/egress-adapter/outbound-dispatcher', TOKEN);
});
beforeEach(async () => {
  await schema.reset();
  accounts = await serveAccounts(schema, ['a/one', 'b/two', 'c/three']);
  holder = await registered(schema);
  credential = await enabledCredential(schema);
});
afterEach(() => service.stop());
afterAll(async () => {
  await schema.close();
  await home.remove();
});

/** Loops that look once, at the start: what happens later was asked for. */
async function boot(pollMs = 60_000): Promise<void> {
  service = await bootOn(outboundDispatcher, schema, home, { CONNECTOR_POLL_MS: String(pollMs) });
}
interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
async function ask(body: object, token = TOKEN): Promise<Answered> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/v1/grants`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const grants = (slots: number): Promise<Answered> => ask({ holder_id: 'egress-1', holder_fence: '5', slots });

/** Commands in the feed of this account, and its work raised; `age` makes it due for longer. */
async function commands(index: number, count: number, age = 0): Promise<void> {
  const served = accounts[index] as ServedAccount;
  for (let sequence = 1; sequence <= count; sequence += 1) await authored(schema, served, sequence, credential);
  await schema.sql(
    "UPDATE con_account_work SET produced = produced + 1, due_at = NOW(6) - INTERVAL ? SECOND WHERE stage = 'effect' AND account = ?",
    [age, Buffer.from(served.account)],
  );
}
async function permitsOf(): Promise<Record<string, number>> {
  const rows = await schema.sql("SELECT account, COUNT(*) AS n FROM con_dispatch_permit WHERE state = 'granted' GROUP BY account");
  return Object.fromEntries(rows.map((row) => [String(row['account']), Number(row['n'])]));
}
async function due(account: string): Promise<'due' | 'later' | 'at rest'> {
  const [row] = await schema.sql("SELECT due_at <= NOW(6) AS due FROM con_account_work WHERE stage = 'effect' AND account = ?", [
    Buffer.from(account),
  ]);
  if (row?.['due'] === null) return 'at rest';
  return Number(row?.['due']) === 1 ? 'due' : 'later';
}
async function rows(table: string): Promise<number> {
  return Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
}
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    if (await holds()) return;
    await schema.sql('DO SLEEP(0.01)');
  }
  throw new Error('it never came to this');
}
const looked = async (loop: string): Promise<boolean> =>
  new RegExp(`connector_loop_runs_total\\{loop="${loop}",answer="idle"\\}`).test(await (await fetch(`${service.url}/metrics`)).text());

describe('contract › outbound-dispatcher grants', () => {
  it('200 with the number of permits, never more than the slots; what is left keeps its account due', async () => {
    await boot();
    await until(() => looked('create-effects'));
    await commands(0, 5);
    expect(await grants(3)).toEqual({ status: 200, body: { kind: 'granted', granted: 3, accounts_looked: 1 } });
    expect([await permitsOf(), await rows('con_remote_effect'), await due('a/one')]).toEqual([{ 'a/one': 3 }, 5, 'due']);
    // Three are granted and not sent: there is no room for more.
    expect((await grants(3)).body).toEqual({ kind: 'granted', granted: 0, accounts_looked: 0 });
    expect((await grants(10)).body).toMatchObject({ granted: 2 });
    expect([await permitsOf(), await due('a/one')]).toEqual([{ 'a/one': 5 }, 'at rest']);
  });

  it('200 spread over the accounts that have something due, and the rest to whoever has more', async () => {
    await boot();
    await until(() => looked('create-effects'));
    await commands(0, 20, 30);
    await commands(1, 20, 20);
    await commands(2, 1, 10);
    expect((await grants(9)).body).toMatchObject({ granted: 9, accounts_looked: 3 });
    expect(await permitsOf()).toEqual({ 'a/one': 5, 'b/two': 3, 'c/three': 1 });
  });

  it('200 with the one slot for the account that is due for longest; the next ask is the next account’s', async () => {
    await boot();
    await until(() => looked('create-effects'));
    await commands(0, 2, 10);
    await commands(1, 2, 20);
    expect((await grants(1)).body).toMatchObject({ granted: 1 });
    expect(await permitsOf()).toEqual({ 'b/two': 1 });
    await grants(2);
    expect(await permitsOf()).toEqual({ 'a/one': 1, 'b/two': 1 });
  });

  it('200 and nothing granted for an account that does not serve, which then rests until it is raised (con:PACQ-X)', async () => {
    await boot();
    await until(() => looked('create-effects'));
    await commands(0, 1);
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2'");
    expect((await grants(5)).body).toMatchObject({ granted: 0, accounts_looked: 1 });
    expect([await rows('con_remote_effect'), await due('a/one')]).toEqual([0, 'at rest']);
  });

  it('200 and nothing granted under a revoked credential; the account is looked at again later', async () => {
    await boot();
    await until(() => looked('create-effects'));
    await commands(0, 1);
    await revoke(schema, credential);
    expect((await grants(5)).body).toMatchObject({ granted: 0 });
    expect([await rows('con_remote_effect'), await due('a/one')]).toEqual([1, 'later']);
  });

  it('200 and nothing granted where nothing is due', async () => {
    await boot();
    expect(await grants(5)).toEqual({ status: 200, body: { kind: 'granted', granted: 0, accounts_looked: 0 } });
  });

  it('409 for a holder that is not the present one of its name; nothing is written', async () => {
    await boot();
    await until(() => looked('create-effects'));
    await commands(0, 1);
    for (const [holder_id, holder_fence] of [['egress-1', '4'] as const, ['nobody', '5'] as const]) {
      expect(await ask({ holder_id, holder_fence, slots: 1 })).toEqual({ status: 409, body: { kind: 'holder-fenced-off' } });
    }
    expect([await rows('con_remote_effect'), await rows('con_dispatch_permit'), await due('a/one')]).toEqual([0, 0, 'due']);
  });

  it('401 without the token of the adapter; nothing is written', async () => {
    await boot();
    await until(() => looked('create-effects'));
    await commands(0, 1);
    expect((await ask({ holder_id: 'egress-1', holder_fence: '5', slots: 1 }, 'another-token')).status).toBe(401);
    expect([await rows('con_remote_effect'), await rows('con_dispatch_permit')]).toEqual([0, 0]);
  });

  it.each([
    { holder_id: 'egress-1', holder_fence: '5', slots: 0 },
    { holder_id: 'egress-1', holder_fence: '5', slots: 101 },
    { holder_id: 'egress-1', holder_fence: '5', slots: 1.5 },
    { holder_id: 'egress-1', holder_fence: 5, slots: 1 },
    { holder_id: 'egress-1', holder_fence: '-5', slots: 1 },
    { holder_id: 'Egress 1', holder_fence: '5', slots: 1 },
    { holder_id: 'egress-1', holder_fence: '5', slots: 1, account: 'a/one' },
    { holder_id: 'egress-1', slots: 1 },
  ])('400 for %j', async (body) => {
    await boot();
    expect((await ask(body)).body).toMatchObject({ status: 400, code: 'HOUSE:http:BodyInvalid' });
  });
});

describe('contract › outbound-dispatcher loops', () => {
  it('commands become effects though no adapter asks, and stay due for one (con:EMAT-W)', async () => {
    await commands(0, 3);
    await boot(20);
    await until(async () => (await rows('con_remote_effect')) === 3);
    expect([await rows('con_dispatch_permit'), await due('a/one')]).toEqual([0, 'due']);
    expect((await grants(10)).body).toMatchObject({ granted: 3 });
  });

  it('con:CRASH-24 con:FIN-O what was confirmed is finished and linked from its evidence, without a provider', async () => {
    await commands(0, 2);
    const served = accounts[0] as ServedAccount;
    const held = await granted(schema.db, served, holder);
    const token = await sending(schema.db, holder, credential, held);
    const batch = settlement(served, holder, token, held, CONFIRMED);
    const settlements = batch.settlements.map((one, index) => ({
      ...one,
      evidence: { ...one.evidence, remoteIdentity: `thing/${index}` },
    }));
    await settlePermits(schema.db, { ...batch, settlements });
    await boot(20);
    await until(async () => (await rows('con_remote_link')) === 2);
    expect(await schema.sql('SELECT DISTINCT state FROM con_remote_effect')).toEqual([{ state: Buffer.from('finalized') }]);
    const stillDue = () => schema.sql("SELECT account FROM con_account_work WHERE stage = 'finalize' AND due_at IS NOT NULL");
    await until(async () => (await stillDue()).length === 0);
    expect(await rows('con_operation')).toBe(1);
  });

  it('readyz, livez and metrics without a token', async () => {
    await boot();
    for (const path of ['livez', 'readyz', 'startupz', 'metrics']) expect((await fetch(`${service.url}/${path}`)).status).toBe(200);
  });
});
