import { RetryableFault } from '@connector/kernel/faults';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import { RowProblem } from './row-problem';

/** What an owner said; `problem` where it was no outcome. */
export interface OwnerAnswer {
  readonly status: number;
  readonly kind: string;
  readonly body: ReadonlyMap<string, unknown>;
}

const CALL_MS_MAX = 10_000;

/** Whom the operator asks to write, in the words of people and of a code. */
export interface OwnerName {
  readonly title: string;
  readonly code: string;
}
export const COORDINATOR: OwnerName = { title: 'The cutover coordinator', code: 'Coordinator' };
export const CONTROL: OwnerName = { title: 'Control', code: 'Control' };

/** The one service that writes what is confirmed here. Its token is read at the first call, so that the operator starts alone. */
export class OwnerClient {
  #client: ServiceClient | undefined;

  constructor(
    private readonly owner: OwnerName,
    private readonly baseUrl: string,
    private readonly token: () => Promise<string>,
  ) {}

  async post(path: string, body: object): Promise<OwnerAnswer> {
    const client = await this.#open();
    try {
      return readAnswer(await client.call('POST', path, body));
    } catch (thrown) {
      throw thrown instanceof RetryableFault ? noAnswer(this.owner, thrown) : thrown;
    }
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  async #open(): Promise<ServiceClient> {
    if (this.#client !== undefined) return this.#client;
    const token = await this.token();
    this.#client ??= serviceClient({ baseUrl: this.baseUrl, token, timeoutMs: CALL_MS_MAX });
    return this.#client;
  }
}

function readAnswer({ status, body }: { readonly status: number; readonly body: unknown }): OwnerAnswer {
  const members = new Map<string, unknown>(typeof body === 'object' && body !== null ? Object.entries(body) : []);
  const kind = members.get('kind');
  return { status, kind: typeof kind === 'string' ? kind : 'problem', body: members };
}

/** A refused connection carried nothing; anything else may have been carried out. */
function noAnswer({ title, code }: OwnerName, fault: RetryableFault): RowProblem {
  const headers = { 'retry-after': '1' };
  if (fault.message.endsWith(': ECONNREFUSED')) {
    const detail = `${title} does not run; nothing was written.`;
    return new RowProblem({ status: 503, code: `HOUSE:operator:${code}Unavailable`, detail, headers, nextSteps: ['connector dev ps'] });
  }
  const detail = `${title} did not answer: it may or may not have happened.`;
  const nextSteps = ['send the same request again, under the same key'];
  return new RowProblem({ status: 503, code: 'HOUSE:operator:OutcomeUnknown', detail, headers, nextSteps }, { written: 'unknown' });
}
