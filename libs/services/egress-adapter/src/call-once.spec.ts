import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { callOnce, type OneCall, type Seen } from './call-once';

let server: Server;
let requests: string[];
let sockets: Set<Socket>;
let answer: (socket: Socket) => void;

beforeEach(async () => {
  requests = [];
  sockets = new Set();
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      requests.push(chunk.toString('latin1'));
      answer(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

const port = (): number => (server.address() as AddressInfo).port;
function call(over: Partial<OneCall> = {}): Promise<Seen> {
  return callOnce({
    proxy: { host: '127.0.0.1', port: port() },
    method: 'POST',
    url: 'http://desk.example/v1/things?x=1',
    headers: ['host', 'desk.example', 'X-Kept', 'a', 'content-length', '2', 'connection', 'close'],
    body: Buffer.from('{}'),
    deadlineMs: 2_000,
    responseBytesMax: 8,
    ...over,
  });
}
const answering =
  (text: string, end = true) =>
  (socket: Socket) =>
    void (end ? socket.end(text) : socket.write(text));

describe('call-once', () => {
  it('head: one request in absolute form with exactly the headers that were given, on a socket of its own', async () => {
    answer = answering('HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-A: 1\r\nX-A: 2\r\n\r\nok');
    expect(await call()).toEqual({
      kind: 'head',
      status: 201,
      headers: { 'content-length': '2', 'x-a': '1, 2' },
      body: Buffer.from('ok'),
      broken: undefined,
    });
    expect(requests).toEqual([
      'POST http://desk.example/v1/things?x=1 HTTP/1.1\r\nhost: desk.example\r\nX-Kept: a\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}',
    ]);
    expect(sockets.size).toBe(1);
  });

  it('not-begun: nobody listens, so nothing was sent', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const closed = (unused.address() as AddressInfo).port;
    unused.close();
    await once(unused, 'close');
    expect(await call({ proxy: { host: '127.0.0.1', port: closed } })).toEqual({ kind: 'not-begun', at: 'connect', why: 'ECONNREFUSED' });
  });

  it('not-begun: the proxy says that it forwarded nothing; a reason that it does not know is an answer like any other', async () => {
    answer = answering('HTTP/1.1 502 Bad\r\nX-Egress-Proxy-Reason: connect-failed\r\nContent-Length: 0\r\n\r\n');
    expect(await call()).toEqual({ kind: 'not-begun', at: 'proxy', why: 'connect-failed' });
    answer = answering('HTTP/1.1 502 Bad\r\nX-Egress-Proxy-Reason: toString\r\nContent-Length: 0\r\n\r\n');
    expect(await call()).toMatchObject({ kind: 'head', status: 502 });
  });

  it.each([
    ['closed before the head', '', 'ECONNRESET'],
    ['closed in the head', 'HTTP/1.1 201 Cre', 'ECONNRESET'],
    ['malformed', 'HTTQ/1.1 201 Created\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['two lengths', 'HTTP/1.1 201 Created\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'cut'],
    ['a head over 16 KiB', `HTTP/1.1 201 Created\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
  ])('no-head: %s leaves no proof and is not repeated', async (_what, text, why) => {
    answer = answering(text);
    expect(await call()).toEqual({ kind: 'no-head', why });
    expect([requests.length, sockets.size]).toEqual([1, 1]);
  });

  it('no-head: silence ends at the deadline, counted from connecting', async () => {
    answer = () => undefined;
    expect(await call({ deadlineMs: 50 })).toEqual({ kind: 'no-head', why: 'deadline' });
  });

  it('no-head: interim answers without end are bounded by the deadline', async () => {
    answer = (socket) => {
      for (let sent = 0; sent < 100; sent += 1) socket.write('HTTP/1.1 102 Processing\r\n\r\n');
    };
    expect(await call({ deadlineMs: 50 })).toEqual({ kind: 'no-head', why: 'deadline' });
  });

  it.each([
    ['short', 'HTTP/1.1 201 Created\r\nContent-Length: 7\r\n\r\nok', 'ok', 'ECONNRESET'],
    ['a bad chunk', 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n', 'ok', 'ECONNRESET'],
    ['over the cap', `HTTP/1.1 201 Created\r\nContent-Length: 20\r\n\r\n${'x'.repeat(20)}`, 'xxxxxxxx', 'over-cap'],
  ])('head with a broken body: %s, as far as it came', async (_what, text, body, broken) => {
    answer = answering(text);
    expect(await call()).toMatchObject({ kind: 'head', status: 201, body: Buffer.from(body), broken });
  });

  it('head with a broken body: one that trickles ends at the deadline', async () => {
    answer = answering('HTTP/1.1 201 Created\r\nContent-Length: 7\r\n\r\no', false);
    expect(await call({ deadlineMs: 50 })).toMatchObject({ kind: 'head', body: Buffer.from('o'), broken: 'deadline' });
  });
});
