import { RetryableFault } from '@connector/kernel/faults';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import { SecretAbsent } from '@connector/platform/secrets/secret-backend';

/** What the claimant says of wakes, as it says it; or why it said nothing. */
export type Wakes =
  { readonly kind: 'seen'; readonly seen: Readonly<Record<string, unknown>> } | { readonly kind: 'unknown'; readonly detail: string };

/** A status that waits longer for a figure than a person for the status is no status. */
const CALL_MS_MAX = 1_000;

/** The one service that knows how long due work waited for it. Its token is read at the first call, so that the operator starts alone. */
export class Claimant {
  #client: ServiceClient | undefined;

  constructor(
    private readonly baseUrl: string,
    private readonly token: () => Promise<string>,
  ) {}

  async wakes(): Promise<Wakes> {
    try {
      this.#client ??= serviceClient({ baseUrl: this.baseUrl, token: await this.token(), timeoutMs: CALL_MS_MAX });
      const { status, body } = await this.#client.call('GET', '/v1/wakes');
      const seen = typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
      return status === 200 ? { kind: 'seen', seen } : { kind: 'unknown', detail: `the claimant answered ${status}` };
    } catch (thrown) {
      if (thrown instanceof RetryableFault) return { kind: 'unknown', detail: 'the claimant does not answer' };
      if (thrown instanceof SecretAbsent) return { kind: 'unknown', detail: 'there is no token for the claimant' };
      throw thrown;
    }
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}
