import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { InputFault } from '@connector/kernel/faults';
import { usageOf } from './usage';
import type { Supervisor } from './supervisor';

const BODY_BYTES_MAX = 4_096;
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGCONT'] as const;
type KillSignal = (typeof SIGNALS)[number];

export interface ControlServer {
  close(): Promise<void>;
}
export interface ControlServerOptions {
  readonly port: number;
  readonly token: string;
  readonly supervisor: Supervisor;
  /** Asked to end everything. */
  readonly onStop: () => void;
}
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * What a person may do to the processes of this machine, on loopback and by a token of one file: `GET /v1/services`,
 * `POST /v1/services/<name>/kill {signal}`, `…/restart {crash}`, `…/isolate`, `POST /v1/stop`.
 */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    answer(options, request).then(
      (found) => send(response, found),
      (thrown: unknown) => send(response, refusalOf(thrown)),
    );
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refusalOf(thrown: unknown): Answer {
  if (thrown instanceof InputFault) return { status: 422, body: { kind: 'refused', code: thrown.code, detail: thrown.message } };
  return { status: 500, body: { kind: 'failed', detail: thrown instanceof Error ? thrown.message : 'unknown' } };
}

async function answer(options: ControlServerOptions, request: IncomingMessage): Promise<Answer> {
  if (request.url === '/livez' || request.url === '/readyz') return { status: 200, body: { status: 'alive' } };
  if (!isHolder(options.token, request.headers.authorization ?? '')) return { status: 401, body: { kind: 'caller-unknown' } };
  const body = await bodyOf(request);
  const [, version, what, name = '', verb] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
  const route = `${request.method ?? ''} ${version ?? ''}/${what ?? ''}${verb === undefined ? '' : `/${verb}`}`;
  return route === 'GET v1/services' ? listed(options.supervisor) : act(options, route, decodeURIComponent(name), body);
}

async function listed(supervisor: Supervisor): Promise<Answer> {
  const services = await Promise.all(supervisor.services.map(async (one) => ({ ...one, ...(await usageOf(one.pid)) })));
  return { status: 200, body: { services } };
}

async function act({ supervisor, onStop }: ControlServerOptions, route: string, name: string, body: unknown): Promise<Answer> {
  switch (route) {
    case 'POST v1/services/kill':
      return { status: 200, body: { kind: supervisor.kill(name, signalOf(body)) ? 'killed' : 'not-running' } };
    case 'POST v1/services/restart':
      supervisor.restart(name, signalOf(body, 'SIGTERM'), crashOf(body));
      return { status: 202, body: { kind: 'restarting' } };
    case 'POST v1/services/isolate': {
      const generation = await supervisor.isolate();
      return { status: 200, body: generation === undefined ? { kind: 'not-running' } : { kind: 'isolated', generation } };
    }
    case 'POST v1/stop':
      onStop();
      return { status: 202, body: { kind: 'stopping' } };
    default:
      return { status: 404, body: { kind: 'no-such-path' } };
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isHolder = (token: string, header: string): boolean => timingSafeEqual(digest(header), digest(`Bearer ${token}`));

const member = (body: unknown, name: string): unknown => (typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined);

function signalOf(body: unknown, otherwise: KillSignal = 'SIGKILL'): KillSignal {
  const asked = member(body, 'signal');
  if (asked === undefined) return otherwise;
  const signal = SIGNALS.find((one) => one === asked);
  if (signal === undefined) throw new InputFault('HOUSE:local:NoSuchSignal', `signals are ${SIGNALS.join(', ')}`);
  return signal;
}

/** Where the next start shall die, `<door>/<step>@n`: what the crash matrix arms. */
function crashOf(body: unknown): { readonly CRASH?: string } {
  const asked = member(body, 'crash');
  return typeof asked === 'string' ? { CRASH: asked } : {};
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_BYTES_MAX) throw new InputFault('HOUSE:local:BodyTooLarge', `at most ${BODY_BYTES_MAX} bytes`);
    chunks.push(bytes);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new InputFault('HOUSE:local:BodyNotJson', 'the body is not JSON');
  }
}
