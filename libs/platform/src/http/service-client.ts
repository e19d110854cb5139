import { type Dispatcher, Pool } from 'undici';
import { RetryableFault } from '@connector/kernel/faults';

export interface ServiceClientOptions {
  /** Origin of the other service, e.g. `http://127.0.0.1:7101`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Total deadline of a call, ms: connecting, sending and the whole answer. */
  readonly timeoutMs: number;
}

/** What the other service answered. Statuses under 500 other than 401, 403 and 429 are answers; the caller maps them by `status`. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A 503 with a problem document (RFC 9457). The call is as good as unanswered, unless a caller knows by its members that the owner itself wrote them. */
export class ProblemFault extends RetryableFault {
  constructor(readonly problem: ReadonlyMap<string, unknown>) {
    super('HOUSE:http:NoAnswer', 'the service answered 503');
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Under it the same request again is the same asking, where the other service keeps such keys. */
  readonly idempotencyKey?: string;
  /** For whom the caller asks, where it speaks for people; visible ASCII. */
  readonly person?: string;
}

export interface ServiceClient {
  /**
   * One call, JSON in and out, never repeated here. Throws RetryableFault on anything but an answer; the request may have arrived all the
   * same, so the caller calls again with the same keys.
   */
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown, options?: CallOptions): Promise<ServiceAnswer>;
  close(): Promise<void>;
}

const CONNECTIONS = 4;
const KEEP_ALIVE_MS = 10_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const NO_ANSWER: ReadonlySet<number> = new Set([401, 403, 429]);

/** A client of one other service, under the token that was minted for this pair (decisions 13.19). Redirects are not followed. */
export function serviceClient({ baseUrl, token, timeoutMs }: ServiceClientOptions): ServiceClient {
  const pool = new Pool(baseUrl, { connections: CONNECTIONS, keepAliveTimeout: KEEP_ALIVE_MS, connect: { timeout: timeoutMs } });
  return {
    async call(method, path, body, { signal, idempotencyKey, person } = {}) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const asker = person === undefined ? {} : { 'connector-person': person };
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...key, ...asker };
      const options = { method, path, headers, signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]) };
      try {
        return await answerOf(await pool.request(body === undefined ? options : withBody(options, body)));
      } catch (thrown) {
        throw thrown instanceof RetryableFault ? thrown : unreachable(method, path, deadline.aborted, thrown);
      }
    },
    close: () => pool.destroy(),
  };
}

function withBody<O extends { readonly headers: Readonly<Record<string, string>> }>(options: O, body: unknown) {
  return { ...options, headers: { ...options.headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function answerOf(response: Dispatcher.ResponseData): Promise<ServiceAnswer> {
  const { statusCode: status, headers } = response;
  const type = String(headers['content-type']);
  if (status === 503 && type.startsWith('application/problem+json')) throw await problemIn(response.body);
  if (status >= 500 || NO_ANSWER.has(status) || (status >= 300 && status < 400)) {
    await response.body.dump({ limit: ANSWER_BYTES_MAX });
    throw new RetryableFault('HOUSE:http:NoAnswer', `the service answered ${status}`);
  }
  const bytes = await readBounded(response.body);
  if (bytes.length === 0) return { status, body: undefined };
  if (!/\bjson\b/.test(type)) throw new RetryableFault('HOUSE:http:NotJson', 'the answer is not JSON');
  return { status, body: JSON.parse(bytes.toString('utf8')) };
}

async function problemIn(body: AsyncIterable<Uint8Array>): Promise<ProblemFault> {
  const problem: unknown = JSON.parse((await readBounded(body)).toString('utf8'));
  return new ProblemFault(new Map(typeof problem === 'object' && problem !== null ? Object.entries(problem) : []));
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new RetryableFault('HOUSE:http:AnswerTooLarge', `the answer is over ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Names the place and the kind of failure; never the headers, where the token is. */
function unreachable(method: string, path: string, late: boolean, thrown: unknown): RetryableFault {
  const held: unknown = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  const kind = late ? 'deadline' : typeof held === 'string' ? held : 'failed';
  return new RetryableFault('HOUSE:http:Unreachable', `${method} ${path.split('?')[0]}: ${kind}`);
}
