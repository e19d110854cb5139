import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createNetServer, type AddressInfo, type Socket } from 'node:net';
import { GenerationId } from '@connector/kernel/ids';
import type { EgressEvent } from './egress-event';
import { startEgressProxy, type EgressProxy } from './egress-proxy';

export const HOST = 'api.provider.example';
export const TOKEN = 'token-of-one-generation';
export const UPSTREAM_TOKEN = 'token-of-the-proxy';

export const events: EgressEvent[] = [];
export const toClose: (() => Promise<unknown>)[] = [];

/** What `afterEach` runs: last opened, first closed. */
export async function closeAll(): Promise<void> {
  for (const close of toClose.splice(0).reverse()) await close();
  events.length = 0;
}

export const portOf = (server: Server | ReturnType<typeof createNetServer>): number => (server.address() as AddressInfo).port;

export async function provider(handler: RequestListener): Promise<number> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  toClose.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return portOf(server);
}

/** A provider below HTTP: gives its first connection to the test. */
export async function rawProvider(): Promise<{ port: number; first: Promise<Socket>; sockets: Set<Socket> }> {
  const server = createNetServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await once(server, 'listening');
  const first = once(server, 'connection').then(([socket]) => socket as Socket);
  toClose.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: portOf(server), first, sockets };
}

/** A proxy whose one provider listens on `port`, with one generation admitted. */
export async function proxyTo(port: number): Promise<{ proxy: EgressProxy; generation: GenerationId }> {
  const routes = new Map([
    [HOST, { host: '127.0.0.1', port }],
    [`${HOST}:8080`, { host: '127.0.0.1', port }],
  ]);
  const proxy = await startEgressProxy({ port: 0, routes, upstreamToken: UPSTREAM_TOKEN, onEvent: (event) => events.push(event) });
  toClose.push(() => proxy.close());
  const generation = GenerationId.mint();
  proxy.admit(TOKEN, generation);
  return { proxy, generation };
}

export interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  readonly token?: string;
}
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly reason: unknown;
  readonly body: string;
}
export async function ask(
  proxy: EgressProxy,
  { path = `http://${HOST}/v1/x`, method = 'GET', headers = {}, body = '', token = TOKEN }: Ask,
): Promise<Answer> {
  const authorization: Record<string, string> = token === '' ? {} : { 'proxy-authorization': `Bearer ${token}` };
  const req = httpRequest({ host: '127.0.0.1', port: proxy.port, path, method, headers: { ...authorization, ...headers }, agent: false });
  req.end(body);
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk as Buffer);
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    reason: res.headers['x-egress-proxy-reason'],
    body: Buffer.concat(chunks).toString(),
  };
}

/** A client below HTTP, in the middle of a request body. */
export async function midBody(proxy: EgressProxy, body: Buffer, length: number): Promise<Socket> {
  const client = connect(proxy.port, '127.0.0.1');
  await once(client, 'connect');
  client.on('error', () => undefined);
  client.write(
    `POST http://${HOST}/v1/x HTTP/1.1\r\nHost: ${HOST}\r\nProxy-Authorization: Bearer ${TOKEN}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  client.write(body);
  return client;
}

/** Broken by a reset or ended: which of them a reader sees depends on where it was reading. */
export function gone(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}

/** Resolves when the provider has read as many bytes; later ones go on being counted in `seen`. */
export async function hasRead(socket: Socket, bytes: number, seen: { bytes: number }): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length;
      if (seen.bytes >= bytes) resolve();
    });
    socket.resume();
  });
}

/** Until the pipe is full end to end: the client's kernel takes nothing more over some turns of the loop. */
export async function filled(client: Socket): Promise<void> {
  let left: number | undefined;
  for (let calm = 0; calm < 200;) {
    await new Promise((resolve) => setImmediate(resolve));
    calm = client.writableLength === left ? calm + 1 : 0;
    left = client.writableLength;
  }
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
