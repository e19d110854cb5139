import type { RunningService } from '@connector/platform/host/service';
import type { TestHome } from './service';

/** What a service answered. */
export interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
export interface Calls {
  get(path: string): Promise<Answered>;
  post(path: string, body: unknown): Promise<Answered>;
}

/** Tokens of these callers for one service, each its own text. */
export async function tokensFor(home: TestHome, callee: string, callers: readonly string[]): Promise<void> {
  for (const caller of callers) await home.secret(`tokens/${caller}/${callee}`, tokenOf(caller, callee));
}

const tokenOf = (caller: string, callee: string): string => `${caller}-to-${callee}`;

/** Calls a running service as this caller; without one, as nobody. */
export function callsTo({ url, name }: Pick<RunningService, 'url' | 'name'>, caller?: string): Calls {
  const authorization = caller === undefined ? {} : { authorization: `Bearer ${tokenOf(caller, name)}` };
  const send = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
  return {
    get: (path) => send(path, { headers: authorization }),
    post: (path, body) =>
      send(path, { method: 'POST', headers: { ...authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
}
