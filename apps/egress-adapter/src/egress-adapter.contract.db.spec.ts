import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { GenerationId } from '@connector/kernel/ids';
import { startEgressProxy, type EgressProxy } from '@connector/platform/egress-proxy/egress-proxy';
import type { RunningService } from '@connector/platform/host/service';
import { egressAdapter } from '@connector/services/egress-adapter/src/egress-adapter.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const TOKEN = 'token-between-adapter-and-dispatcher';
interface AskedOf {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

let schema: TestSchema;
let home: TestHome;
let proxy: EgressProxy;
let dispatcher: Server;
let asked: AskedOf[];
let answer: { readonly status: number; readonly body: object };
const running: RunningService[] = [];

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret('tokens/egress-adapter/outbound-dispatcher', TOKEN);
  proxy = await startEgressProxy({ port: 0, routes: new Map(), upstreamToken: 'x'.repeat(16), onEvent: () => undefined });
  dispatcher = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      asked.push({ path: req.url, authorization: req.headers.authorization, body });
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  }).listen(0, '127.0.0.1');
  await once(dispatcher, 'listening');
});
beforeEach(async () => {
  await schema.reset();
  asked = [];
  answer = { status: 200, body: { kind: 'granted', granted: 0, accounts_looked: 0 } };
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});
afterAll(async () => {
  dispatcher.closeAllConnections();
  dispatcher.close();
  await proxy.close();
  await schema.close();
  await home.remove();
});

async function boot(generation: string, env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const service = await bootOn(egressAdapter, schema, home, {
    CONNECTOR_POLL_MS: '20',
    CONNECTOR_GENERATION: generation,
    CONNECTOR_EGRESS_PROXY_URL: `http://127.0.0.1:${proxy.port}`,
    CONNECTOR_DISPATCHER_URL: `http://127.0.0.1:${(dispatcher.address() as AddressInfo).port}`,
    ...env,
  });
  running.push(service);
  return service;
}
async function admitted(): Promise<GenerationId> {
  const generation = GenerationId.mint();
  await home.secret(`egress/${generation}`, `token-of-${generation}`);
  proxy.admit(`token-of-${generation}`, generation);
  return generation;
}
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    if (await holds()) return;
    await schema.sql('DO SLEEP(0.01)');
  }
  throw new Error('it never came to this');
}
const status = async (service: RunningService, path: string): Promise<number> => (await fetch(`${service.url}${path}`)).status;
const holders = () => schema.sql('SELECT holder_id, fence, generation_id FROM con_egress_holder');

describe('contract › egress-adapter', () => {
  it('ready once it is registered under its generation and the proxy knows it; then it asks for its free slots', async () => {
    const generation = await admitted();
    const service = await boot(generation, { CONNECTOR_CALL_SLOTS: '7', CONNECTOR_EGRESS_HOLDER: 'egress-9' });
    await until(async () => (await status(service, '/readyz')) === 200);
    const row = { holder_id: Buffer.from('egress-9'), fence: '1', generation_id: GenerationId.bytes(generation) };
    expect(await holders()).toEqual([row]);
    await until(() => asked.length > 0);
    const body = { holder_id: 'egress-9', holder_fence: '1', slots: 7 };
    expect(asked[0]).toEqual({ path: '/v1/grants', authorization: `Bearer ${TOKEN}`, body });
  });

  it('unready, and asking for nothing, while the proxy has not admitted its generation; ready when it has', async () => {
    const generation = GenerationId.mint();
    const service = await boot(generation);
    const failing = async () => (await service.health.readiness()).failing;
    // It is a holder a moment after its row stands.
    await until(async () => !(await failing()).includes('holder'));
    expect(await failing()).toEqual(['egress-proxy']);
    await home.secret(`egress/${generation}`, `token-of-${generation}`);
    await until(async () => (await service.health.readiness()).checks.length > 0);
    expect([await status(service, '/readyz'), asked]).toEqual([503, []]);
    proxy.admit(`token-of-${generation}`, generation);
    await until(async () => (await status(service, '/readyz')) === 200);
    await until(() => asked.length > 0);
  });

  it('the next fence of its name for every generation, and the same one again for the same', async () => {
    const generation = await admitted();
    for (const each of [generation, generation, await admitted()]) {
      const service = await boot(each);
      await until(async () => (await service.health.readiness()).ready);
      await service.stop();
    }
    expect(await holders()).toMatchObject([{ fence: '2' }]);
  });

  it('a generation of its own when nobody supervises it; another word is refused at the start', async () => {
    const service = await boot('unsupervised');
    const failing = async () => (await service.health.readiness()).failing;
    // It is a holder a moment after its row stands.
    await until(async () => !(await failing()).includes('holder'));
    expect(await failing()).toEqual(['egress-proxy']);
    await expect(boot('no-generation')).rejects.toMatchObject({ code: 'HOUSE:kernel:IdNotCanonical' });
  });

  it('works on while the dispatcher is away or refuses, and asks again', async () => {
    answer = { status: 503, body: {} };
    const service = await boot(await admitted());
    await until(() => asked.length > 1);
    expect(await status(service, '/readyz')).toBe(200);
  });

  it('unready for good when its name was taken over: it asks no more', async () => {
    answer = { status: 409, body: { kind: 'holder-fenced-off' } };
    const service = await boot(await admitted());
    await until(async () => asked.length > 0 && (await service.health.readiness()).failing.includes('holder'));
    const before = asked.length;
    await until(async () => /connector_loop_runs_total\{loop="calls",answer="idle"\} [3-9]/.test(await metrics(service)));
    expect(asked.length).toBe(before);
  });

  it('livez and metrics without a token, and nothing else', async () => {
    const service = await boot(await admitted());
    expect(await status(service, '/livez')).toBe(200);
    expect(await metrics(service)).toMatch(/connector_build_info/);
    for (const path of ['/v1/grants', '/v1/permits', '/']) expect(await status(service, path)).toBe(404);
  });
});

const metrics = async (service: RunningService): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
