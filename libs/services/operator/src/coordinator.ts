import { RetryableFault } from '@connector/kernel/faults';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import { RowProblem } from './row-problem';

/** What the coordinator said; `problem` where it was no outcome. */
export interface CoordinatorAnswer {
  readonly status: number;
  readonly kind: string;
  readonly body: ReadonlyMap<string, unknown>;
}

const CALL_MS_MAX = 10_000;

/** The one service that moves gates. Its token is read at the first call, so that the operator starts alone. */
export class Coordinator {
  #client: ServiceClient | undefined;

  constructor(
    private readonly baseUrl: string,
    private readonly token: () => Promise<string>,
  ) {}

  async post(path: string, body: object): Promise<CoordinatorAnswer> {
    const client = await this.#open();
    try {
      return readAnswer(await client.call('POST', path, body));
    } catch (thrown) {
      throw thrown instanceof RetryableFault ? noAnswer(thrown) : thrown;
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

function readAnswer({ status, body }: { readonly status: number; readonly body: unknown }): CoordinatorAnswer {
  const members = new Map<string, unknown>(typeof body === 'object' && body !== null ? Object.entries(body) : []);
  const kind = members.get('kind');
  return { status, kind: typeof kind === 'string' ? kind : 'problem', body: members };
}

/** A refused connection carried nothing; anything else may have been carried out. */
function noAnswer(fault: RetryableFault): RowProblem {
  const headers = { 'retry-after': '1' };
  if (fault.message.endsWith(': ECONNREFUSED')) {
    const detail = 'The cutover coordinator does not run; nothing was written.';
    return new RowProblem({ status: 503, code: 'HOUSE:operator:CoordinatorUnavailable', detail, headers, nextSteps: ['connector dev ps'] });
  }
  const detail = 'The cutover coordinator did not answer: it may or may not have happened.';
  const nextSteps = ['send the same request again, under the same key'];
  return new RowProblem({ status: 503, code: 'HOUSE:operator:OutcomeUnknown', detail, headers, nextSteps }, { written: 'unknown' });
}
