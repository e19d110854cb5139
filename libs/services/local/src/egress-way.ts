import { type EgressProxy, startEgressProxy } from '@connector/platform/egress-proxy/egress-proxy';
import type { GenerationId } from '@connector/kernel/ids';
import { egressTokenRef, PROXY_TOKEN } from './mint-secrets';
import { mint, type SecretStore } from './secret-store';

/** The one way from this machine to providers, by a token of each adapter generation (decisions 13.18). */
export class EgressWay {
  readonly #proxy: EgressProxy;
  readonly #store: SecretStore;

  private constructor(proxy: EgressProxy, store: SecretStore) {
    this.#proxy = proxy;
    this.#store = store;
  }

  /** Every provider of these hosts stands in the simulator. */
  static async open(store: SecretStore, port: number, hosts: readonly string[], simulatorPort: number): Promise<EgressWay> {
    const route = { host: '127.0.0.1', port: simulatorPort };
    const routes = new Map(hosts.map((host) => [host, route]));
    const upstreamToken = await store.read(PROXY_TOKEN);
    return new EgressWay(await startEgressProxy({ port, routes, upstreamToken, onEvent: () => undefined }), store);
  }

  async admit(generation: GenerationId): Promise<void> {
    const token = await this.#store.ensure(egressTokenRef(generation), mint);
    this.#proxy.admit(token, generation);
  }

  /** After it returns, not one byte of the generation reaches a provider. Again: the same. */
  async withdraw(generation: GenerationId): Promise<void> {
    await this.#proxy.withdraw(generation);
    await this.#store.forget(egressTokenRef(generation));
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }
}
