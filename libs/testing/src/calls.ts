import type { RunningService } from '@connector/platform/host/service';
import type { TestHome } from './service';

/** What a service answered. */
export interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
/** The same with what was asked, for whoever compares answers with a document. */
export interface SeenAnswer extends Answered {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly contentType: string;
}
export interface Calls {
  get(path: string): Promise<Answered>;
  post(path: string, body: unknown, key?: string): Promise<Answered>;
  put(path: string, body: unknown, key?: string): Promise<Answered>;
}

/** Tokens of these callers for one service, each its own text. */
export async function tokensFor(home: TestHome, callee: string, callers: readonly string[]): Promise<void> {
  for (const caller of callers) await home.secret(`tokens/${caller}/${callee}`, tokenOf(caller, callee));
}

const tokenOf = (caller: string, callee: string): string => `${caller}-to-${callee}`;

/** Calls a running service as this caller; without one, as nobody. `onAnswer` sees every answer first and may refuse it; `more`: further headers. */
export function callsTo(
  { url, name }: Pick<RunningService, 'url' | 'name'>,
  caller?: string,
  onAnswer: (seen: SeenAnswer) => void = () => undefined,
  more: Readonly<Record<string, string>> = {},
): Calls {
  const authorization = { ...(caller === undefined ? {} : { authorization: `Bearer ${tokenOf(caller, name)}` }), ...more };
  const send = async (method: SeenAnswer['method'], path: string, init: RequestInit): Promise<Answered> => {
    const response = await fetch(`${url}${path}`, { ...init, method });
    const text = await response.text();
    const answered = { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
    onAnswer({ ...answered, method, path, contentType: response.headers.get('content-type') ?? '' });
    return answered;
  };
  const write = (method: 'POST' | 'PUT', path: string, body: unknown, key?: string): Promise<Answered> => {
    const headers = { ...authorization, 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
    return send(method, path, { headers, body: JSON.stringify(body) });
  };
  return {
    get: (path) => send('GET', path, { headers: authorization }),
    post: (path, body, key) => write('POST', path, body, key),
    put: (path, body, key) => write('PUT', path, body, key),
  };
}
