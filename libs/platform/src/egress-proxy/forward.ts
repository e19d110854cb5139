import { request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import { CutSocket } from './cut-socket';
import type { EgressEvent, ProxyReason } from './egress-event';
import { toClient, toUpstream } from './forwarded-headers';
import type { Generation, Generations } from './generations';
import type { Target } from './target';

export const BODY_BYTES_MAX = 16 * 1024 * 1024;
const IDLE_MS_MAX = 120_000;

export interface Route {
  readonly host: string;
  readonly port: number;
}
/** `over`: the provider answered in full, or the exchange was given up; what happens after that is no news. */
interface Life {
  connected: boolean;
  over: boolean;
}
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly target: Target;
  readonly route: Route;
  readonly generation: Generation;
  readonly generations: Generations;
  readonly upstreamToken: string;
  readonly refuse: (res: ServerResponse, reason: ProxyReason) => void;
  readonly onEvent: (event: EgressEvent) => void;
}

/** One request over one connection of its own, in one go: nothing is kept, repeated, followed or buffered. */
export function forward(exchange: Exchange): void {
  const { req, res, generation, refuse } = exchange;
  const socket = open(exchange);
  const upstream = ask(exchange, socket);
  const life: Life = { connected: false, over: false };
  socket.once('connect', () => (life.connected = true));
  upstream.once('response', (answer) => answerWith(exchange, life, answer));
  upstream.on('error', () => {
    if (life.connected || life.over || generation.withdrawn) return broken(exchange, life);
    life.over = true;
    refuse(res, 'connect-failed');
  });
  res.once('close', () => {
    upstream.destroy();
    broken(exchange, life);
  });
  req.pipe(meter(() => broken(exchange, life))).pipe(upstream);
}

/** Held in the same turn in which the token was looked up: a withdrawal comes before both or after both. */
function open({ generation, generations, route }: Exchange): CutSocket {
  const socket = new CutSocket();
  generations.hold(generation, socket);
  socket.setTimeout(IDLE_MS_MAX, () => socket.destroy());
  return socket.connect({ host: route.host, port: route.port });
}

function ask({ req, target, upstreamToken }: Exchange, socket: CutSocket): ClientRequest {
  const headers = toUpstream({ rawHeaders: req.rawHeaders, host: target.host, token: upstreamToken });
  return request({ createConnection: () => socket, method: req.method, path: target.path, headers, setHost: false });
}

function answerWith(exchange: Exchange, life: Life, answer: IncomingMessage): void {
  const { req, res, generation, target, onEvent } = exchange;
  const status = answer.statusCode ?? 502;
  res.writeHead(status, answer.statusMessage, toClient(answer.rawHeaders));
  res.flushHeaders();
  // An answer may end before the whole request was read: what is left of it goes nowhere.
  answer.once('end', () => {
    life.over = true;
    req.unpipe();
    req.resume();
  });
  pipeline(
    answer,
    meter(() => answer.destroy()),
    res,
    (error) => {
      if (error && !life.over) return broken(exchange, life);
      onEvent({ kind: 'answered', generation: generation.id, host: target.host, method: req.method ?? '', status });
    },
  );
}

/** Bytes may have gone out and no whole answer came back: the client learns it by a broken connection, never by a made-up answer. */
function broken({ req, generation, target, onEvent }: Exchange, life: Life): void {
  if (life.over) return;
  life.over = true;
  req.socket.destroy();
  onEvent({ kind: 'broken', generation: generation.id, host: target.host, method: req.method ?? '' });
}

function meter(tooMuch: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) tooMuch();
      else done(null, chunk);
    },
  });
}
