import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { RetryableFault } from '@connector/kernel/faults';
import { ProblemFault, type ServiceClient, serviceClient } from './service-client';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let server: Server;
let client: ServiceClient;
let hits: number;
let handle: Handler;

const json = (response: ServerResponse, status: number, body: string): void =>
  void response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body);

beforeEach(async () => {
  hits = 0;
  server = createServer((request, response) => {
    hits += 1;
    handle(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  client = serviceClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'planted-canary', timeoutMs: 300 });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

describe('service client', () => {
  it('answered: JSON goes out under the token, and an answer below 500 is an answer', async () => {
    handle = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => json(response, 409, JSON.stringify([request.headers.authorization, Buffer.concat(chunks).toString()])));
    };
    expect(await client.call('POST', '/x', { a: 1 })).toEqual({ status: 409, body: ['Bearer planted-canary', '{"a":1}'] });
    handle = (_, response) => void response.writeHead(204).end();
    expect(await client.call('GET', '/x')).toEqual({ status: 204, body: undefined });
  });

  it('answered: a request goes out under its key where it has one', async () => {
    handle = (request, response) => json(response, 200, JSON.stringify([request.method, request.headers['idempotency-key'] ?? null]));
    expect((await client.call('PUT', '/x', {}, { idempotencyKey: 'key-1' })).body).toEqual(['PUT', 'key-1']);
    expect((await client.call('PUT', '/x', {})).body).toEqual(['PUT', null]);
  });

  it.each<[string, Handler]>([
    ['a mistake of the service', (_, response) => json(response, 500, '{}')],
    ['a redirect, which is not followed', (_, response) => json(response, 302, '{}')],
    ['an unknown token', (_, response) => json(response, 401, '{}')],
    ['what is no JSON', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['what only says that it is JSON', (_, response) => json(response, 200, '{')],
    ['a connection that breaks', (request) => void request.socket.destroy()],
    ['no answer in time', () => undefined],
    ['an answer that never ends', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('[')],
    ['an answer that is too large', (_, response) => json(response, 200, `"${'x'.repeat(4 * 1024 * 1024)}"`)],
  ])('retryable: %s, tried once, and the fault holds no token and no query', async (_, handler) => {
    handle = handler;
    const fault: unknown = await client.call('POST', '/x?key=planted-canary', {}).catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(RetryableFault);
    expect(hits).toBe(1);
    expect(`${String(fault)} ${JSON.stringify(fault)}`).not.toContain('planted-canary');
  });

  it('retryable: of a 503 with a problem document what it says is kept; any other 503, and another status, say nothing', async () => {
    const problem = (status: number, type: string, body: string) => async () => {
      handle = (_, response) => void response.writeHead(status, { 'content-type': type }).end(body);
      return client.call('POST', '/x', {}).catch((thrown: unknown) => thrown);
    };
    const said = await problem(503, 'application/problem+json; charset=utf-8', '{"code":"HOUSE:x:Y","written":"nothing"}')();
    expect(said).toBeInstanceOf(RetryableFault);
    expect(said).toMatchObject({
      problem: new Map([
        ['code', 'HOUSE:x:Y'],
        ['written', 'nothing'],
      ]),
    });
    for (const other of [
      problem(503, 'application/json', '{"code":"HOUSE:x:Y"}'),
      problem(502, 'application/problem+json', '{"code":"HOUSE:x:Y"}'),
      problem(503, 'application/problem+json', ''),
    ]) {
      const thrown = await other();
      expect(thrown).toBeInstanceOf(RetryableFault);
      expect(thrown).not.toBeInstanceOf(ProblemFault);
    }
  });

  it('retryable: nobody listens, or the caller gave up', async () => {
    handle = () => undefined;
    await expect(client.call('GET', '/x', undefined, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(RetryableFault);
    const nobody = serviceClient({ baseUrl: 'http://127.0.0.1:1', token: 't', timeoutMs: 300 });
    await expect(nobody.call('GET', '/x')).rejects.toMatchObject({ code: 'HOUSE:http:Unreachable', message: 'GET /x: ECONNREFUSED' });
    await nobody.close();
  });
});
