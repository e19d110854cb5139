import { InputFault, RetryableFault } from '@connector/kernel/faults';
import type { GenerationId } from '@connector/kernel/ids';
import { type SecretBackend, type SecretRef, withSecret } from '@connector/platform/secrets/secret-backend';
import { callOnce, type ProxyPlace, type Seen } from './call-once';
import { secretText } from './secret-text';

const PROBE_MS = 2_000;
const REFUSED = ['token-missing', 'token-refused'];

export interface ProxyAccess {
  readonly url: string;
  readonly generationId: GenerationId;
  readonly tokenVersion: string;
}
export type Header = readonly [name: string, value: string];

/**
 * The one way out, and whether it is open for this generation. While it is shut no permit is asked for and none is sent: an outage of
 * ours must not use up the attempts of effects.
 */
export class ProxyDoor {
  readonly place: ProxyPlace;
  readonly #secrets: SecretBackend;
  readonly #token: SecretRef;
  #shut: string | undefined = 'not looked yet';

  constructor(secrets: SecretBackend, { url, generationId, tokenVersion }: ProxyAccess) {
    const { hostname: host, port } = new URL(url);
    this.place = { host, port: Number(port) };
    this.#secrets = secrets;
    this.#token = { path: `egress/${generationId}`, version: tokenVersion };
  }

  /** By what the proxy knows this generation; undefined where its token is gone, and then the door is shut. */
  async header(): Promise<Header | undefined> {
    try {
      return await withSecret(this.#secrets, this.#token, (token): Header => ['proxy-authorization', `Bearer ${secretText(token)}`]);
    } catch (thrown) {
      if (!(thrown instanceof InputFault || thrown instanceof RetryableFault)) throw thrown;
      this.#shut = thrown.code;
      return undefined;
    }
  }

  /** Why nothing can go out now; undefined where it can. Knocks only after trouble, with a request that names no provider. */
  async shut(): Promise<string | undefined> {
    if (this.#shut === undefined) return undefined;
    const header = await this.header();
    if (header !== undefined) this.#shut = trouble(await callOnce(this.#knock(header)));
    return this.#shut;
  }

  /** After a call: trouble on our side of the proxy shuts the door until a knock finds it open. */
  saw(seen: Seen): void {
    this.#shut ??= seen.kind === 'not-begun' ? trouble(seen) : undefined;
  }

  /** Readiness. */
  async check(): Promise<void> {
    if (this.#shut !== undefined) throw new RetryableFault('HOUSE:egress-adapter:ProxyShut', this.#shut);
  }

  #knock(header: Header) {
    const headers = ['host', 'egress-proxy', ...header, 'connection', 'close'];
    return { proxy: this.place, method: 'GET', url: '/', headers, body: Buffer.alloc(0), deadlineMs: PROBE_MS, responseBytesMax: 1_024 };
  }
}

/** What keeps every call from leaving; a refusal of one destination does not. */
function trouble(seen: Seen): string | undefined {
  if (seen.kind === 'head') return undefined;
  return seen.kind === 'no-head' || seen.at === 'connect' || REFUSED.includes(seen.why) ? seen.why : undefined;
}
