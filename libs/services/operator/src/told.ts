import { RetryableFault } from '@connector/kernel/faults';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import { SecretAbsent } from '@connector/platform/secrets/secret-backend';

/** What a service said beside what is read here, or why it said nothing. */
export type Said = { readonly kind: 'said'; readonly members: object } | { readonly kind: 'unknown'; readonly detail: string };

/** An answer that waits longer for a further figure than a person for the answer is none. */
const CALL_MS_MAX = 1_000;

/** A service whose word is shown with the rest, and without which the rest is shown. Its token is read at the first call, so that the operator starts alone. */
export class Told {
  #client: ServiceClient | undefined;

  constructor(
    private readonly title: string,
    private readonly baseUrl: string,
    private readonly token: () => Promise<string>,
  ) {}

  /** `statuses`: those that are answers; any other says nothing. */
  async get(path: string, ...statuses: readonly number[]): Promise<Said> {
    try {
      this.#client ??= serviceClient({ baseUrl: this.baseUrl, token: await this.token(), timeoutMs: CALL_MS_MAX });
      const { status, body } = await this.#client.call('GET', path);
      const members = typeof body === 'object' && body !== null ? body : {};
      return statuses.includes(status) ? { kind: 'said', members } : { kind: 'unknown', detail: `${this.title} answered ${status}` };
    } catch (thrown) {
      if (thrown instanceof RetryableFault) return { kind: 'unknown', detail: `${this.title} does not answer` };
      if (thrown instanceof SecretAbsent) return { kind: 'unknown', detail: `there is no token for ${this.title}` };
      throw thrown;
    }
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}
