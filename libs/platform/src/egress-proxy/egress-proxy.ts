import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { once } from 'node:events';
import { invariant } from '@connector/kernel/faults';
import type { GenerationId } from '@connector/kernel/ids';
import { PROXY_REASONS, type EgressEvent, type ProxyReason } from './egress-event';
import { BODY_BYTES_MAX, forward, type Route } from './forward';
import { REASON_HEADER } from './forwarded-headers';
import { Generations, type Generation } from './generations';
import { readTarget } from './target';

const CLIENTS_MAX = 512;

export interface EgressProxyOptions {
  /** 0 takes a free one. Always on loopback. */
  readonly port: number;
  /** Host, with the port where it is not 80, to where that provider is really reached. Nothing else is reachable. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Shows a provider simulator that a request came through this proxy. */
  readonly upstreamToken: string;
  readonly onEvent: (event: EgressEvent) => void;
}
export interface EgressProxy {
  readonly port: number;
  admit(token: string, generation: GenerationId): void;
  /** After it resolves, not one further byte of the generation reaches a provider; only then may its isolation receipt be written. */
  withdraw(generation: GenerationId): Promise<void>;
  close(): Promise<void>;
}

/**
 * The only way from an egress adapter to a provider on one machine (decisions 13.18): a forward proxy for absolute-form
 * requests over plain HTTP, by a token of the adapter's generation.
 */
export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const generations = new Generations();
  const server = createServer({ maxHeaderSize: 16 * 1024, headersTimeout: 5_000, requestTimeout: 60_000, keepAliveTimeout: 5_000 });
  server.maxConnections = CLIENTS_MAX;
  server.on('request', (req: IncomingMessage, res: ServerResponse) => serve(options, generations, req, res));
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => refuseTunnel(options, socket));
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    admit: (token, generation) => generations.admit(token, generation),
    withdraw: async (generation) => {
      await generations.withdraw(generation);
      options.onEvent({ kind: 'withdrawn', generation });
    },
    close: async () => {
      const stopped = once(server, 'close');
      server.close();
      await Promise.all(generations.ids.map((generation) => generations.withdraw(generation)));
      server.closeAllConnections();
      await stopped;
    },
  };
}

function serve(options: EgressProxyOptions, generations: Generations, req: IncomingMessage, res: ServerResponse): void {
  const refuse = (to: ServerResponse, reason: ProxyReason): void => answer(options, to, reason);
  const holder = holderOf(generations, req);
  if (typeof holder === 'string') return refuse(res, holder);
  // The client's socket as well: bytes that a frozen adapter has left in it must find it closed.
  generations.hold(holder, req.socket);
  const target = readTarget(req.url ?? '');
  if (target === undefined) return refuse(res, 'not-absolute-form');
  const route = options.routes.get(target.host);
  if (route === undefined) return refuse(res, 'unknown-host');
  if (Number(req.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return refuse(res, 'body-too-large');
  const { upstreamToken, onEvent } = options;
  forward({ req, res, target, route, generation: holder, generations, upstreamToken, refuse, onEvent });
}

function holderOf(generations: Generations, req: IncomingMessage): Generation | 'token-missing' | 'token-refused' {
  const [header, ...others] = req.headersDistinct['proxy-authorization'] ?? [];
  if (header === undefined || others.length > 0 || !header.startsWith('Bearer ')) return 'token-missing';
  return generations.holderOf(header.slice('Bearer '.length)) ?? 'token-refused';
}

function answer(options: EgressProxyOptions, res: ServerResponse, reason: ProxyReason): void {
  const challenge = PROXY_REASONS[reason] === 407 ? { 'Proxy-Authenticate': 'Bearer' } : {};
  res.writeHead(PROXY_REASONS[reason], { ...challenge, [REASON_HEADER]: reason, 'Content-Length': 0, Connection: 'close' }).end();
  options.onEvent({ kind: 'refused', reason });
}

function refuseTunnel(options: EgressProxyOptions, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 405 Method Not Allowed\r\n${REASON_HEADER}: connect-not-supported\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  );
  options.onEvent({ kind: 'refused', reason: 'connect-not-supported' });
}

function portOf(server: Server): number {
  const address = server.address();
  invariant(address !== null && typeof address === 'object', 'HOUSE:platform:NoPort', 'the egress proxy listens on no port');
  return address.port;
}
