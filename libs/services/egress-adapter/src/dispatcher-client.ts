import { DefectFault } from '@connector/kernel/faults';
import type { ServiceClient } from '@connector/platform/http/service-client';
import type { Holder } from './holder-name';

export type Asked = { readonly kind: 'granted'; readonly granted: number } | { readonly kind: 'holder-fenced-off' };

/** Asks for permits. The answer is a number only: which they are is found by (holder, fence, granted), also when it is lost. */
export class DispatcherClient {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** `slots`: how many granted permits this holder may have afterwards. Throws RetryableFault where nobody answers. */
  async ask({ holderId, holderFence }: Holder, slots: number): Promise<Asked> {
    const body = { holder_id: holderId, holder_fence: String(holderFence), slots };
    const answer = await this.#client.call('POST', '/v1/grants', body);
    if (answer.status === 409) return { kind: 'holder-fenced-off' };
    const granted = memberOf(answer.body, 'granted');
    if (answer.status !== 200 || typeof granted !== 'number') {
      throw new DefectFault('HOUSE:egress-adapter:GrantsAnswer', `the dispatcher answered ${answer.status}`);
    }
    return { kind: 'granted', granted };
  }
}

function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
}
