import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { DefectFault } from '@connector/kernel/faults';
import { GenerationId } from '@connector/kernel/ids';
import {
  ask,
  closeAll,
  events,
  filled,
  gone,
  hasRead,
  HOST,
  killed,
  midBody,
  provider,
  proxyTo,
  rawProvider,
  toClose,
  TOKEN,
} from './egress-bench.fixture';
import { CutSocket } from './cut-socket';
import { Generations } from './generations';

afterEach(closeAll);

describe('withdraw', () => {
  it('refuses the token from then on, and the generation for good', async () => {
    const { proxy, generation } = await proxyTo(await provider((_req, res) => void res.end('ok')));
    expect((await ask(proxy, {})).status).toBe(200);
    await proxy.withdraw(generation);
    expect(await ask(proxy, {})).toMatchObject({ status: 407, reason: 'token-refused' });
    expect(() => proxy.admit('another-token-of-it', generation)).toThrow(DefectFault);
    await proxy.withdraw(generation);
    const unborn = GenerationId.mint();
    await proxy.withdraw(unborn);
    expect(() => proxy.admit('token-of-the-unborn-one', unborn)).toThrow(DefectFault);
  });

  it('leaves other generations alone, in the middle of a call too', async () => {
    const { proxy, generation } = await proxyTo(await provider((req, res) => void req.pipe(res)));
    const other = GenerationId.mint();
    proxy.admit('token-of-another-one', other);
    const headers = { 'proxy-authorization': 'Bearer token-of-another-one' };
    const req = httpRequest({ host: '127.0.0.1', port: proxy.port, path: `http://${HOST}/`, method: 'POST', headers, agent: false });
    req.write('first');
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    await proxy.withdraw(generation);
    req.end('second');
    let body = '';
    for await (const chunk of res) body += String(chunk);
    expect(body).toBe('firstsecond');
  });

  it('lets not one further byte through after it resolved: a client that stopped mid-body and goes on', async () => {
    const { port, first } = await rawProvider();
    const { proxy, generation } = await proxyTo(port);
    const client = await midBody(proxy, Buffer.from('half'), 1000);
    const upstream = await first;
    const seen = { bytes: 0 };
    const over = gone(upstream);
    await hasRead(upstream, 1, seen);
    await proxy.withdraw(generation);
    const before = seen.bytes;
    const clientClosed = gone(client);
    client.write(Buffer.alloc(996, 0x62));
    await Promise.all([over, clientClosed]);
    expect(seen.bytes).toBe(before);
    expect(events.map((event) => event.kind)).toEqual(expect.arrayContaining(['broken', 'withdrawn']));
  });

  it('lets not one further byte through: a process stopped by SIGSTOP in the middle of a stream and continued after', async () => {
    const { port, first } = await rawProvider();
    const { proxy, generation } = await proxyTo(port);
    const child = fork(`${__dirname}/frozen-client.fixture.js`, [String(proxy.port), HOST, TOKEN], { execArgv: [] });
    toClose.push(() => killed(child));
    const upstream = await first;
    const seen = { bytes: 0 };
    const over = gone(upstream);
    await hasRead(upstream, 65_536, seen);
    child.kill('SIGSTOP');
    await proxy.withdraw(generation);
    await over;
    const before = seen.bytes;
    const exited = once(child, 'exit');
    child.kill('SIGCONT');
    expect(await exited).toEqual([7, null]);
    expect(seen.bytes).toBe(before);
  });

  it('resolves when every socket of the generation is closed, towards the client and towards the provider', async () => {
    const held = jest.spyOn(Generations.prototype, 'hold');
    toClose.push(() => Promise.resolve(held.mockRestore()));
    const { port, first } = await rawProvider();
    const { proxy, generation } = await proxyTo(port);
    await midBody(proxy, Buffer.from('half'), 1000);
    await hasRead(await first, 1, { bytes: 0 });
    await proxy.withdraw(generation);
    const sockets = held.mock.calls.map(([, socket]) => socket);
    expect(sockets.map((socket) => [socket instanceof CutSocket, socket.closed])).toEqual([
      [false, true],
      [true, true],
    ]);
  });

  it('closes an idle connection too: a client that was between two calls finds it closed', async () => {
    const { proxy, generation } = await proxyTo(await provider((_req, res) => void res.end('ok')));
    const client = await midBody(proxy, Buffer.from('whole'), 5);
    await once(client, 'data');
    const over = gone(client);
    await proxy.withdraw(generation);
    await over;
  });

  it('takes back what the kernel still held: a provider that reads slowly gets what its own kernel had and no more', async () => {
    const { port, first } = await rawProvider();
    const { proxy, generation } = await proxyTo(port);
    const size = 12 * 1024 * 1024;
    const client = await midBody(proxy, Buffer.alloc(size, 0x78), size);
    const upstream = await first;
    await filled(client);
    await proxy.withdraw(generation);
    const seen = { bytes: 0 };
    const over = gone(upstream);
    await Promise.all([hasRead(upstream, 1, seen), over]);
    // Linux gives a connection that nobody reads 128 KiB for arrivals, and one that writes some MiB for departures.
    expect(seen.bytes).toBeLessThan(1024 * 1024);
  });
});
