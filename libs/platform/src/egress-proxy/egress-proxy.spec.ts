import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import { ProxyAgent, request as undiciRequest } from 'undici';
import {
  ask,
  closeAll,
  events,
  gone,
  hasRead,
  HOST,
  midBody,
  portOf,
  provider,
  proxyTo,
  rawProvider,
  TOKEN,
  UPSTREAM_TOKEN,
  type Ask,
} from './egress-bench.fixture';
import { BODY_BYTES_MAX } from './forward';

afterEach(closeAll);

describe('egress proxy', () => {
  it('answered: passes method, path, body and end-to-end headers byte for byte, with its own token and without the generation token', async () => {
    let seen: { method?: string; url?: string; headers: string[]; body: string } | undefined;
    const { proxy, generation } = await proxyTo(
      await provider(async (req, res) => {
        let body = '';
        for await (const chunk of req) body += String(chunk);
        seen = { ...(req.method && { method: req.method }), ...(req.url && { url: req.url }), headers: req.rawHeaders, body };
        res
          .writeHead(201, { 'Content-Type': 'application/json', 'X-Kept': ['a', 'b'], 'x-egress-proxy-reason': 'connect-failed' })
          .end('{"id":1}');
      }),
    );
    const headers = { 'Idempotency-Key': 'k 1', 'X-Egress-Proxy-Token': 'forged', Connection: 'X-Hop', 'X-Hop': '1', host: 'evil.example' };
    const answer = await ask(proxy, { path: `http://${HOST}/a/../b?q=%20&r=1`, method: 'PATCH', body: '{"a":1}', headers });

    expect(answer).toMatchObject({ status: 201, body: '{"id":1}', reason: undefined });
    expect(answer.headers['x-kept']).toBe('a, b');
    expect(seen).toMatchObject({ method: 'PATCH', url: '/a/../b?q=%20&r=1', body: '{"a":1}' });
    const names = seen?.headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(names?.sort()).toEqual(['connection', 'content-length', 'host', 'idempotency-key', 'x-egress-proxy-token'].sort());
    expect(seen?.headers).toEqual(expect.arrayContaining([HOST, UPSTREAM_TOKEN, 'k 1', 'close']));
    expect(events).toEqual([{ kind: 'answered', generation, host: HOST, method: 'PATCH', status: 201 }]);
  });

  it('answered: a redirect is passed as it is and not followed', async () => {
    let calls = 0;
    const { proxy } = await proxyTo(
      await provider((_req, res) => void (calls++, res.writeHead(302, { Location: `http://${HOST}/other` }).end())),
    );
    expect(await ask(proxy, {})).toMatchObject({ status: 302, headers: { location: `http://${HOST}/other` } });
    expect(calls).toBe(1);
  });

  it('answered: one connection a request, so no request can meet an idle one that is being closed', async () => {
    const ports = new Set<number | undefined>();
    const { proxy } = await proxyTo(await provider((req, res) => void (ports.add(req.socket.remotePort), res.end('ok'))));
    await ask(proxy, {});
    await ask(proxy, {});
    expect(ports.size).toBe(2);
  });

  it('answered: undici reaches a provider through it', async () => {
    const { proxy } = await proxyTo(await provider((req, res) => void res.end(`${req.headers.host ?? ''}${req.url ?? ''}`)));
    const dispatcher = new ProxyAgent({ uri: `http://127.0.0.1:${proxy.port}`, token: `Bearer ${TOKEN}`, proxyTunnel: false });
    const answer = await undiciRequest(`http://${HOST}/v1/x?y=1`, { dispatcher });
    expect(await answer.body.text()).toBe(`${HOST}/v1/x?y=1`);
    await dispatcher.close();
  });

  it('answered: streams both ways; the provider reads before the request ends and the client before the answer ends', async () => {
    const { proxy } = await proxyTo(await provider((req, res) => void (res.flushHeaders(), req.pipe(res))));
    const headers = { 'proxy-authorization': `Bearer ${TOKEN}` };
    const req = httpRequest({ host: '127.0.0.1', port: proxy.port, path: `http://${HOST}/`, method: 'POST', headers, agent: false });
    req.write('first');
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    expect(String((await once(res, 'data'))[0])).toBe('first');
    const ended = once(res, 'end');
    const second = once(res, 'data');
    req.end('second');
    expect(String((await second)[0])).toBe('second');
    await ended;
  });

  it.each([
    ['token-missing', 407, { token: '' }],
    ['token-missing', 407, { token: '', headers: { 'proxy-authorization': `Basic ${TOKEN}` } }],
    ['token-refused', 407, { token: 'token-of-nobody-at-all' }],
    ['not-absolute-form', 400, { path: '/v1/x' }],
    ['not-absolute-form', 400, { path: `https://${HOST}/` }],
    ['not-absolute-form', 400, { path: `http://user@${HOST}/` }],
    ['not-absolute-form', 400, { path: `http://${HOST}/#f` }],
    ['not-absolute-form', 400, { path: 'http://[::1]/' }],
    ['unknown-host', 502, { path: 'http://other.example/' }],
    ['unknown-host', 502, { path: `http://${HOST}.:80/` }],
    ['unknown-host', 502, { path: `http://${HOST}:81/` }],
    ['unknown-host', 502, { path: 'http://127.0.0.1/' }],
    ['body-too-large', 413, { method: 'POST', headers: { 'content-length': String(BODY_BYTES_MAX + 1), expect: '100-continue' } }],
  ] as [string, number, Ask][])('refused %s with %d: no connection to the provider (%j)', async (reason, status, change) => {
    const { port, sockets } = await rawProvider();
    const { proxy } = await proxyTo(port);
    expect(await ask(proxy, change)).toMatchObject({ status, reason });
    expect(sockets.size).toBe(0);
    expect(events).toEqual([{ kind: 'refused', reason }]);
  });

  it('refused connect-failed with 502: where nobody listens no byte was written', async () => {
    const server = createNetServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = portOf(server);
    server.close();
    await once(server, 'close');
    const { proxy } = await proxyTo(port);
    expect(await ask(proxy, { method: 'POST', body: 'x' })).toMatchObject({ status: 502, reason: 'connect-failed' });
    expect(events).toEqual([{ kind: 'refused', reason: 'connect-failed' }]);
  });

  it('refused connect-not-supported: there is no tunnel', async () => {
    const { proxy } = await proxyTo(1);
    const req = httpRequest({ host: '127.0.0.1', port: proxy.port, method: 'CONNECT', path: `${HOST}:443`, agent: false }).end();
    const [res, socket] = (await once(req, 'connect')) as [IncomingMessage, Socket];
    expect(res.statusCode).toBe(405);
    socket.destroy();
  });

  it('admits a host with its port where the route table names it so', async () => {
    const { proxy } = await proxyTo(await provider((req, res) => void res.end(req.headers.host)));
    expect((await ask(proxy, { path: `http://${HOST}:8080/` })).body).toBe(`${HOST}:8080`);
    expect((await ask(proxy, { path: `HTTP://${HOST.toUpperCase()}:80` })).body).toBe(HOST);
  });

  it.each([
    ['before the head', (socket: Socket) => socket.destroy()],
    ['in the body', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', () => socket.resetAndDestroy())],
  ])('broken: a provider that breaks off %s breaks the client connection, and no answer is made up', async (_where, breakOff) => {
    const { port, first } = await rawProvider();
    const { proxy, generation } = await proxyTo(port);
    const client = await midBody(proxy, Buffer.from('body'), 4);
    const upstream = await first;
    await hasRead(upstream, 1, { bytes: 0 });
    let read = '';
    client.on('data', (chunk) => (read += String(chunk)));
    const over = gone(client);
    breakOff(upstream);
    await over;
    expect(read).not.toContain('502');
    expect(events).toEqual([{ kind: 'broken', generation, host: HOST, method: 'POST' }]);
  });

  it('broken: a client that goes away cuts the call to the provider', async () => {
    const { port, first } = await rawProvider();
    const { proxy, generation } = await proxyTo(port);
    const client = await midBody(proxy, Buffer.from('half'), 8);
    const upstream = await first;
    const over = gone(upstream);
    await hasRead(upstream, 1, { bytes: 0 });
    client.destroy();
    await over;
    expect(events).toEqual([{ kind: 'broken', generation, host: HOST, method: 'POST' }]);
  });
});
