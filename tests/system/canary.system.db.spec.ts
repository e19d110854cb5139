import { randomBytes } from 'node:crypto';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mint } from '@connector/services/local/src/secret-store';
import { CHANNELS, CREDENTIAL } from '@connector/services/local/src/demo/world';
import type { LocalSystem } from '@connector/services/local/src/start-local';
import { scanBytes } from '@connector/testing/canary';
import { canaryNeedles, type Needle } from '@connector/testing/canary-needles';
import { auditSystem } from '@connector/testing/system/audit';
import { quiet } from '@connector/testing/system/quiet';
import { scanDatabases, scanFiles, secretsOf } from '@connector/testing/system/scan';
import { contact, hint, wideBody } from '@connector/testing/system/source';
import { openSystem, SERVICE_NAMES, type SystemUnderTest } from '@connector/testing/system/system';
import { until, when } from '@connector/testing/system/until';

const KEY_BYTES = 32;

let system: SystemUnderTest;
let secrets: ReadonlyMap<string, string>;
let needles: readonly Needle[];
const answers: string[] = [];

beforeAll(async () => {
  system = await openSystem({ before: plantCanaries });
  secrets = await secretsOf(system);
  needles = [...secrets].flatMap(([path, text]) => formsOf(text).map(({ form, bytes }) => ({ form: `${path} as ${form}`, bytes })));
}, 120_000);
afterAll(() => system?.close(), 60_000);

/** Canaries where a person would put secrets; tokens and passwords are random already and are canaries themselves. */
async function plantCanaries({ store }: LocalSystem): Promise<void> {
  await store.put(CREDENTIAL.secret, mint());
  for (const { scheme, secret } of CHANNELS) {
    await store.put(secret, scheme === 'standard-webhooks' ? `whsec_${randomBytes(KEY_BYTES).toString('base64')}` : mint());
  }
}

/** The text, and the key that it stands for. */
function formsOf(text: string): readonly Needle[] {
  const key = text.startsWith('whsec_') ? Buffer.from(text.slice('whsec_'.length), 'base64') : undefined;
  return [...canaryNeedles(Buffer.from(text, 'utf8')), ...(key === undefined ? [] : canaryNeedles(key))];
}

/** Deliveries that go well, that cannot be read, that meet every fault of the provider, and a call that its adapter does not survive. */
async function makeTraffic(): Promise<void> {
  const { source, provider } = system;
  await source.deliver('hook', contact('canary-ok'), 'msg_ok');
  await source.deliver('hook', wideBody('canary-wide', 220), 'msg_wide');
  await source.deliver('hook', { nothing: true }, 'msg_strange');
  await source.deliver('hints', hint(1, 1), 'hint_1');
  for (const fault of ['500-before', '500-after', 'reset-mid-body', '429'] as const) {
    await provider.plan(fault);
    await source.deliver('hook', contact(`canary-${fault}`), `msg_${fault}`);
    await quiet(system);
  }
  await provider.plan('slow', 1, 5_000);
  await source.deliver('hook', contact('canary-slow'), 'msg_slow');
  const sending = async () => Number((await system.sql("SELECT COUNT(*) AS n FROM con_dispatch_permit WHERE state = 'sending'"))[0]?.['n']);
  await until('a call is under way', 20_000, async () => when((await sending()) === 1));
  await system.kill('egress-adapter');
}

/** Every refusal that a stranger, or a friend who is wrong, can get. */
async function askWrongly(): Promise<void> {
  const [hook] = CHANNELS;
  const credential = await system.local.store.read(CREDENTIAL.secret);
  const place = `/v1/in/${hook?.account ?? ''}/${hook?.channel ?? ''}`;
  const signed = {
    'webhook-id': 'msg_forged',
    'webhook-timestamp': '1',
    'webhook-signature': `v1,${Buffer.from(credential).toString('base64')}`,
  };
  await keep('ingress', place, { method: 'POST', body: '{}', headers: signed });
  await keep('ingress', place, { method: 'POST', body: '{}' });
  await keep('ingress', place, { method: 'GET' });
  await keep('ingress', '/v1/in/no/such/place', { method: 'POST', body: '{}' });
  for (const name of SERVICE_NAMES) {
    await keep(name, '/v1/anything', { method: 'POST', body: '{"a":', headers: { 'content-type': 'application/json' } });
    await keep(name, '/v1/anything', {
      method: 'POST',
      body: '{}',
      headers: { authorization: 'Bearer wrong', 'content-type': 'application/json' },
    });
    for (const path of ['/livez', '/readyz', '/metrics']) await keep(name, path, {});
  }
  for (const id of ['eff_unknown', 'rcp_00000000000000000000000000']) {
    for (const verb of ['explain', 'lineage'])
      answers.push(JSON.stringify(await (await system.client('operator')).call('GET', `/v1/${verb}/${id}`)));
  }
}

async function keep(name: (typeof SERVICE_NAMES)[number], path: string, init: RequestInit): Promise<void> {
  const response = await fetch(`${system.local.url(name)}${path}`, init);
  answers.push(`${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`);
}

const scanAnswers = (): readonly string[] =>
  answers.flatMap((answer) => scanBytes(Buffer.from(answer, 'utf8'), needles).map(({ form }) => `${form} in an answer`));

describe('canary', () => {
  it('secrets of every kind are looked for: credential, channel keys, tokens of every pair, database passwords', () => {
    const paths = [...secrets.keys()].join('\n');
    for (const kind of ['providers/', 'channels/larkspur/', 'channels/tern/', 'tokens/', 'database/', 'egress/'])
      expect(paths).toContain(kind);
  });

  it('found: what is planted in a row, in a log and in an answer, before anything is looked for', async () => {
    const planted = await system.local.store.read(CREDENTIAL.secret);
    const log = join(system.local.layout.home, 'logs', 'planted.log');
    await system.sql('UPDATE con_service SET service_key = ?', [Buffer.from(planted, 'utf8').subarray(0, 16)]);
    await writeFile(log, 'x'.repeat(1_000));
    await appendFile(log, encodeURIComponent(Buffer.from(planted, 'utf8').toString('base64')));
    answers.push(Buffer.from(planted, 'utf8').toString('hex'));
    try {
      expect(await scanDatabases(system, needles)).not.toEqual([]);
      expect(await scanFiles(system, needles)).not.toEqual([]);
      expect(scanAnswers()).not.toEqual([]);
    } finally {
      await system.sql("UPDATE con_service SET service_key = 'connector'");
      await rm(log);
      answers.length = 0;
    }
  });

  it('nowhere: after traffic with every fault no secret is in a row, a log, a URL, an answer or the ledger of the provider (con:INV-18)', async () => {
    await makeTraffic();
    await system.ready();
    await askWrongly();
    await quiet(system);
    expect((await auditSystem(system)).findings).toEqual([]);
    // Tokens of adapters that ended are forgotten; those that live now are looked for as well.
    const living = [...(await secretsOf(system))].filter(([path]) => !secrets.has(path));
    const all = [
      ...needles,
      ...living.flatMap(([path, text]) => formsOf(text).map(({ form, bytes }) => ({ form: `${path} as ${form}`, bytes }))),
    ];
    expect(await scanDatabases(system, all)).toEqual([]);
    expect(await scanFiles(system, all)).toEqual([]);
    expect(scanAnswers()).toEqual([]);
    const entries = JSON.stringify(await system.provider.entries());
    expect(scanBytes(Buffer.from(entries, 'utf8'), all)).toEqual([]);
  }, 120_000);

  it('not void: the credential really was at the provider, and every fault was met', async () => {
    const entries = await system.provider.entries();
    expect(entries.some(({ credential }) => credential)).toBe(true);
    const met = new Set(entries.map(({ fault }) => fault));
    expect(['500-before', '500-after', 'reset-mid-body', '429', 'slow'].filter((fault) => ![...met].includes(fault as never))).toEqual([]);
  });
});
