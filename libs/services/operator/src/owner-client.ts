import { DefectFault, RetryableFault } from '@connector/kernel/faults';
import { type CallOptions, ProblemFault, type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import { BodyFault } from '@connector/platform/host/problem';
import { RowProblem } from './row-problem';

/** By which key the owner knows the same asking again, and which person it is that asks, where the owner writes that down. */
export interface Asking {
  readonly idempotencyKey: string;
  readonly by?: string;
}

/** What an owner said; `problem` where it was no outcome. */
export interface OwnerAnswer {
  readonly status: number;
  readonly kind: string;
  readonly body: ReadonlyMap<string, unknown>;
}

const CALL_MS_MAX = 10_000;

/** Whom the operator asks to write, in the words of people, and the refusal where it does not run. */
export interface OwnerName {
  readonly title: string;
  readonly unavailable: 'CoordinatorUnavailable' | 'ControlUnavailable' | 'CatalogUnavailable';
}
export const COORDINATOR: OwnerName = { title: 'The cutover coordinator', unavailable: 'CoordinatorUnavailable' };
export const CATALOG: OwnerName = { title: 'The catalog', unavailable: 'CatalogUnavailable' };
export const CONTROL: OwnerName = { title: 'Control', unavailable: 'ControlUnavailable' };

/** The one service that writes what is confirmed here. Its token is read at the first call, so that the operator starts alone. */
export class OwnerClient {
  #client: ServiceClient | undefined;

  constructor(
    private readonly owner: OwnerName,
    private readonly baseUrl: string,
    private readonly token: () => Promise<string>,
  ) {}

  /** What the owner knows again without a key; `by`: the person that asks, where the owner writes that down. */
  post(path: string, body: object, by?: string): Promise<OwnerAnswer> {
    return this.#call('POST', path, body, personOf(by), noAnswer);
  }

  keyed(method: 'POST' | 'PUT', path: string, body: object, { idempotencyKey, by }: Asking): Promise<OwnerAnswer> {
    return this.#call(method, path, body, { idempotencyKey, ...personOf(by) }, noAnswer);
  }

  /** A question writes nothing, so without an answer nothing happened either. */
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<OwnerAnswer> {
    return this.#call(method, path, body, {}, unanswered);
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  async #call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body: object | undefined,
    options: CallOptions,
    failed: (owner: OwnerName, fault: RetryableFault) => RowProblem,
  ): Promise<OwnerAnswer> {
    const client = await this.#open();
    try {
      return readAnswer(await client.call(method, path, body, options));
    } catch (thrown) {
      throw thrown instanceof RetryableFault ? failed(this.owner, thrown) : thrown;
    }
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

/** The owner's door names it; without it nobody could say which move this was. */
export function movedFence({ kind, body }: OwnerAnswer): string {
  const fence = body.get('fence');
  if (typeof fence === 'string') return fence;
  throw new DefectFault('HOUSE:operator:MoveWithoutFence', `the owner answered ${kind} without the new fence`);
}

/** Whom the catalog could not ask, where it says by its own code and members that it wrote nothing (catalog.md B.3: OWNER_UNAVAILABLE). */
function silentOwner(problem: ProblemFault['problem']): string | undefined {
  const its = problem.get('code') === 'HOUSE:catalog:OwnerUnavailable' && problem.get('written') === 'nothing';
  const owner = problem.get('owner');
  return its && typeof owner === 'string' ? owner : undefined;
}

const PERSON_MAX = 48;
/** As a header carries it: a name that is no plain ASCII goes as a URL would have it. */
function personOf(by: string | undefined): CallOptions {
  if (by === undefined) return {};
  const person = encodeURIComponent(by);
  if (person.length <= PERSON_MAX) return { person };
  throw new BodyFault([{ pointer: '/by', detail: `a person is named in at most ${PERSON_MAX} characters, as a URL would write them` }]);
}

function unanswered({ title, unavailable }: OwnerName, fault: RetryableFault): RowProblem {
  const why = fault.message.endsWith(': ECONNREFUSED') ? 'does not run' : 'does not answer, or one that it has to ask does not';
  const [headers, nextSteps] = [{ 'retry-after': '1' }, ['connector dev ps', 'ask again']];
  return new RowProblem(unavailable, { detail: `${title} ${why}; nothing was written.`, headers, nextSteps });
}

/** Nothing was carried out where the connection was refused, or where the catalog says so itself; anything else may have been. */
function noAnswer({ title, unavailable }: OwnerName, fault: RetryableFault): RowProblem {
  const headers = { 'retry-after': '1' };
  const silent = fault instanceof ProblemFault ? silentOwner(fault.problem) : undefined;
  if (silent !== undefined) {
    const detail = `${title} runs, but ${silent} does not answer it; this time nothing was written, and what stood before stands.`;
    const nextSteps = ['connector dev ps', 'send the same request again, under the same key'];
    return new RowProblem('CatalogOwnerSilent', { detail, actual: { silent }, headers, nextSteps });
  }
  if (fault.message.endsWith(': ECONNREFUSED')) {
    const detail = `${title} does not run; nothing was written.`;
    return new RowProblem(unavailable, { detail, headers, nextSteps: ['connector dev ps'] });
  }
  const detail = `${title} did not answer: it may or may not have happened.`;
  const nextSteps = ['send the same request again, under the same key'];
  return new RowProblem('OutcomeUnknown', { detail, headers, nextSteps });
}
