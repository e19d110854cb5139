import type { ServiceClient } from '@connector/platform/http/service-client';
import { ask } from '@connector/services/local/src/demo/ask';
import type { Entry } from '@connector/services/provider-simulator/src/entry';
import type { FaultName } from '@connector/services/provider-simulator/src/fault-plan';

const PAGE = 500;

/** The provider's side: every request that reached it, and the faults that are planned there. */
export class ProviderLedger {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** All of it, oldest first. */
  async entries(): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for (;;) {
      const { body } = await ask(this.#client, 'GET', `/_control/ledger?after=${found.at(-1)?.n ?? 0}&limit=${PAGE}`);
      const page = (body as { readonly entries: readonly Entry[] }).entries;
      if (page.length === 0) return found;
      found.push(...page);
    }
  }

  /** Body and head bytes that ever arrived, and how many requests. */
  async arrived(): Promise<{ readonly requests: number; readonly bytes: number }> {
    const entries = await this.entries();
    return { requests: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  async plan(fault: FaultName, times = 1, ms = 1_000, host = 'desk.tern.example'): Promise<void> {
    const { status, body } = await ask(this.#client, 'POST', '/_control/faults', { host, fault, times, ms });
    if (status !== 204) throw new Error(`a fault was refused: ${JSON.stringify(body)}`);
  }

  async reset(): Promise<void> {
    await ask(this.#client, 'POST', '/_control/reset', {});
  }
}
