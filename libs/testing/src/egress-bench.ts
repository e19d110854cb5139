import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { GenerationId } from '@connector/kernel/ids';
import { startEgressProxy, type EgressProxy } from '@connector/platform/egress-proxy/egress-proxy';
import type { Route } from '@connector/platform/egress-proxy/forward';
import type { RunningService } from '@connector/platform/host/service';
import { egressAdapter } from '@connector/services/egress-adapter/src/egress-adapter.service';
import { outboundDispatcher } from '@connector/services/outbound-dispatcher/src/outbound-dispatcher.service';
import type { FaultName } from '@connector/services/provider-simulator/src/fault-plan';
import type { Entry } from '@connector/services/provider-simulator/src/entry';
import { startSimulator, type RunningSimulator } from '@connector/services/provider-simulator/src/start-simulator';
import type { TestSchema } from './database';
import { bootOn, testHome, type TestHome } from './service';

/** The host of the demo's destination. */
export const DESK = 'desk.tern.example';
export const GRANTS_TOKEN = 'token-between-adapter-and-dispatcher';
const PROXY_TOKEN = 'token-of-the-egress-proxy';
const CONTROL_TOKEN = 'token-of-the-test-itself';
/** Nothing listens there: the port is reserved and needs rights. */
const CLOSED: Route = { host: '127.0.0.1', port: 1 };
const LOOKS_MAX = 1_500;

interface AdapterOptions {
  readonly holder?: string;
  /** The process generation; a new one when absent. */
  readonly generation?: GenerationId;
  readonly env?: NodeJS.ProcessEnv;
}

/** The way of a call, whole: dispatcher, adapter, egress proxy and simulator, each of them the real one. */
export class EgressBench {
  readonly #schema: TestSchema;
  readonly #home: TestHome;
  readonly #routes: Map<string, Route>;
  readonly #proxy: EgressProxy;
  readonly #simulator: RunningSimulator;
  #stops: (() => Promise<unknown>)[] = [];
  #dispatcherUrl = 'http://127.0.0.1:1';
  /** Every log line of the services. */
  readonly lines: string[] = [];

  private constructor(schema: TestSchema, home: TestHome, routes: Map<string, Route>, proxy: EgressProxy, simulator: RunningSimulator) {
    this.#schema = schema;
    this.#home = home;
    this.#routes = routes;
    this.#proxy = proxy;
    this.#simulator = simulator;
  }

  /** `credential` is what the demo's desk is called with. */
  static async open(schema: TestSchema, credential: string): Promise<EgressBench> {
    const home = await testHome();
    await home.secret('provider/tern/acme', credential);
    await home.secret('tokens/egress-adapter/outbound-dispatcher', GRANTS_TOKEN);
    const simulator = await startSimulator({ port: 0, controlToken: CONTROL_TOKEN, proxyToken: PROXY_TOKEN });
    const routes = new Map<string, Route>();
    const proxy = await startEgressProxy({ port: 0, routes, upstreamToken: PROXY_TOKEN, onEvent: () => undefined });
    const bench = new EgressBench(schema, home, routes, proxy, simulator);
    bench.toSimulator();
    return bench;
  }

  get home(): TestHome {
    return this.#home;
  }
  get proxy(): EgressProxy {
    return this.#proxy;
  }

  /** The desk is the simulator again. */
  toSimulator(): void {
    this.#routes.set(DESK, { host: '127.0.0.1', port: Number(new URL(this.#simulator.url).port) });
  }

  /** Nobody listens at the desk. */
  toNobody(): void {
    this.#routes.set(DESK, CLOSED);
  }

  /** The desk is this listener. */
  async to(listener: RequestListener): Promise<void> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#routes.set(DESK, { host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    this.#stops.push(async () => {
      server.closeAllConnections();
      server.close();
    });
  }

  async dispatcher(env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
    const service = await this.#boot(() =>
      bootOn(outboundDispatcher, this.#schema, this.#home, { CONNECTOR_POLL_MS: '20', ...env }, (line) => this.lines.push(line)),
    );
    this.#dispatcherUrl = service.url.replace('[::1]', '127.0.0.1');
    return service;
  }

  async adapter({ holder = 'egress-1', generation = GenerationId.mint(), env = {} }: AdapterOptions = {}): Promise<RunningService> {
    const token = `token-of-${generation}`;
    await this.#home.secret(`egress/${generation}`, token);
    this.#proxy.admit(token, generation);
    const given = {
      CONNECTOR_POLL_MS: '20',
      CONNECTOR_GENERATION: generation,
      CONNECTOR_EGRESS_HOLDER: holder,
      CONNECTOR_EGRESS_PROXY_URL: `http://127.0.0.1:${this.#proxy.port}`,
      CONNECTOR_DISPATCHER_URL: this.#dispatcherUrl,
      ...env,
    };
    return this.#boot(() => bootOn(egressAdapter, this.#schema, this.#home, given, (line) => this.lines.push(line)));
  }

  async plan(fault: FaultName, more: { readonly times?: number; readonly ms?: number } = {}): Promise<void> {
    await this.#control('POST', 'faults', { host: DESK, fault, ...more });
  }

  /** What reached the desk. */
  async ledger(): Promise<readonly Entry[]> {
    return ((await this.#control('GET', 'ledger?limit=500')) as { entries: Entry[] }).entries;
  }

  /** Looks again until it holds; each look waits in the database, so nothing spins. */
  async until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      if (await holds()) return;
      await this.#schema.sql('DO SLEEP(0.01)');
    }
    throw new Error(`it never came to this: ${what}\n${this.lines.slice(-20).join('')}`);
  }

  /** Stops the services, last started first, and empties the simulator. */
  async rest(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
    await this.#control('POST', 'reset', {});
    this.toSimulator();
    this.lines.length = 0;
  }

  async close(): Promise<void> {
    await this.rest();
    await this.#proxy.close();
    await this.#simulator.close();
    await this.#home.remove();
  }

  async #boot(boot: () => Promise<RunningService>): Promise<RunningService> {
    const service = await boot();
    this.#stops.push(() => service.stop());
    return service;
  }

  async #control(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const headers = { authorization: `Bearer ${CONTROL_TOKEN}`, 'content-type': 'application/json' };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${this.#simulator.url}/_control/${path}`, { method, headers, ...given });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  }
}
