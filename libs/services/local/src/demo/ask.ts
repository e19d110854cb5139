import { setTimeout as pause } from 'node:timers/promises';
import { DefectFault, RetryableFault } from '@connector/kernel/faults';
import type { ServiceAnswer, ServiceClient } from '@connector/platform/http/service-client';

export const STEP_REFUSED = 'HOUSE:local:StepRefused';
const TRIES = 40;
const PAUSE_MS = 250;

export interface Asked {
  readonly status: number;
  readonly kind: string;
  readonly body: object;
}

type Method = 'GET' | 'POST' | 'PUT';

/** One request under the same ids until it is answered, at most ten seconds; a service that is only starting is asked again. */
export async function ask(client: ServiceClient, method: Method, path: string, body?: unknown, idempotencyKey?: string): Promise<Asked> {
  for (let tries = 1; ; tries += 1) {
    try {
      return readAnswer(await client.call(method, path, body, idempotencyKey === undefined ? {} : { idempotencyKey }));
    } catch (thrown) {
      if (!(thrown instanceof RetryableFault) || tries === TRIES) throw thrown;
      await pause(PAUSE_MS);
    }
  }
}

/** How a step is asked for, where it is not by a POST that names itself by its ids. */
interface How {
  readonly method?: 'POST' | 'PUT';
  readonly key?: string;
}

/** `ask`, and one of these kinds must come back; anything else is shown and ends the start. */
export async function expectKind(
  client: ServiceClient,
  path: string,
  body: unknown,
  kinds: readonly string[],
  { method = 'POST', key }: How = {},
): Promise<Asked> {
  const answer = await ask(client, method, path, body, key);
  if (kinds.includes(answer.kind)) return answer;
  throw new DefectFault(STEP_REFUSED, `${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

function readAnswer({ status, body }: ServiceAnswer): Asked {
  const found = typeof body === 'object' && body !== null ? body : {};
  const kind: unknown = Reflect.get(found, 'kind');
  return { status, kind: typeof kind === 'string' ? kind : 'problem', body: found };
}

export function textOf(body: object, name: string): string {
  const value: unknown = Reflect.get(body, name);
  if (typeof value !== 'string') throw new DefectFault('HOUSE:local:AnswerMember', `an answer has no ${name}`);
  return value;
}
