import { RetryableFault } from '@connector/kernel/faults';
import { retrying, type RetryPolicy } from '@connector/platform/db/retrying';
import { CliFailure, EXIT } from './exit';
import { notRunning, readLocalSecret, serviceOf, type Installation } from './installation';
import { isMembers, type Members, membersOf } from './members';
import { failureOf } from './problem';

const ANSWER_MS_MAX = 20_000;
/** A confirmation is sent again under its key until it is answered, about four seconds. */
const SAME_KEY: RetryPolicy = { attempts: 5, firstMs: 100, capMs: 2_000 };

export interface HttpAnswer {
  readonly status: number;
  readonly body: Members;
}

/** The operator's API under the token of the command line. Anything but 2xx ends the command as the problem says. */
export interface Api {
  get(path: string): Promise<Members>;
  post(path: string, body: object): Promise<Members>;
  /** For a write with a key of its own: the same again after an answer that says nothing. */
  confirm(path: string, body: Members): Promise<Members>;
}

/** As whom the command line speaks: each has a token of its own (catalog.md B.3). */
export const ROLES = ['operator', 'publisher', 'pack-owner', 'reader'] as const;
export type CliRole = (typeof ROLES)[number];

export async function openApi(installation: Installation, role: CliRole): Promise<Api> {
  const { url } = serviceOf(installation, 'operator');
  const token = await readLocalSecret(installation, `tokens/${role === 'operator' ? 'cli' : role}/operator`, '1');
  const call = (method: string, path: string, body?: object): Promise<HttpAnswer> => callJson(url, token, method, path, body);
  return {
    get: async (path) => wanted(await call('GET', path)),
    post: async (path, body) => wanted(await call('POST', path, body)),
    confirm: (path, body) => confirm(() => call('POST', path, body), String(body['operation_id'])),
  };
}

export async function callJson(base: string, token: string, method: string, path: string, body?: object): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const init = {
    method,
    headers,
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const response = await fetch(`${base}${path}`, init).catch((thrown: unknown) => {
    throw refusedConnection(thrown)
      ? notRunning(`${base} does not answer: nothing listens there.`)
      : new RetryableFault('HOUSE:cli:NoAnswer', base);
  });
  const text = await response.text();
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  return { status: response.status, body: isMembers(parsed) ? parsed : { value: parsed } };
}

function wanted({ status, body }: HttpAnswer): Members {
  if (status >= 200 && status < 300) return body;
  throw failureOf(status, body);
}

/** Once a request may have arrived, only its own answer says what happened: then the end is "unknown", never "failed". */
async function confirm(call: () => Promise<HttpAnswer>, key: string): Promise<Members> {
  let mayHaveArrived = false;
  try {
    return await retrying(SAME_KEY, async () => {
      const { status, body } = await call().catch((thrown: unknown) => {
        mayHaveArrived ||= thrown instanceof RetryableFault;
        throw thrown;
      });
      if (status !== 503) return wanted({ status, body });
      mayHaveArrived ||= membersOf(body)['written'] === 'unknown';
      if (mayHaveArrived) throw new RetryableFault('HOUSE:cli:OutcomeUnknown', key);
      throw failureOf(status, body);
    });
  } catch (thrown) {
    const unanswered =
      thrown instanceof RetryableFault || (mayHaveArrived && thrown instanceof CliFailure && thrown.exit === EXIT.unavailable);
    throw unanswered ? outcomeUnknown(key) : thrown;
  }
}

function outcomeUnknown(key: string): CliFailure {
  return new CliFailure(EXIT.unknown, [
    'No answer came, so it may or may not have happened.   OUTCOME_UNKNOWN',
    `  Key      ${key}`,
    `  Do       the same command again with --idempotency-key ${key}: it returns what happened, or does it once`,
    '  Do not   send it with a new key, or take a look for an answer: the first one may still land after you looked',
  ]);
}

/** Nothing was sent. */
function refusedConnection(thrown: unknown): boolean {
  return membersOf(membersOf(thrown)['cause'])['code'] === 'ECONNREFUSED';
}
