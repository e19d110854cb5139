import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import type { RunningService } from '@connector/platform/host/service';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { bootOn } from '@connector/testing/service';
import { HOOK, HUBS, hubSigned, LIMIT, openWorld, post, signed, type World } from './world';

const FLOODS = 50;
const FLOOD_BYTES = 50_000_000;
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x78), Buffer.from('\r\n')]);
/** Two reads of a socket, the one that goes over the limit and the one that was asked for meanwhile, and what frames the chunks. */
const SLACK = 2 * 65_536 + 4_096;
const GROWTH_MAX = 64 * 1_048_576;

let world: World;
let service: RunningService;
beforeAll(async () => {
  world = await openWorld();
  service = await bootOn(ingress, world.schema, world.home, { CONNECTOR_POLL_MS: '50' });
});
afterAll(async () => {
  await service.stop();
  await world.close();
});

/** Writes as fast as it is taken, until the other side ends or everything is sent; answers the first line that came back. */
function flood(): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(service.url);
    const socket: Socket = connect(Number(port), hostname);
    let [sent, line] = [0, ''];
    const more = (): void => {
      while (sent < FLOOD_BYTES && !socket.destroyed) {
        sent += CHUNK.length;
        if (!socket.write(CHUNK)) return;
      }
    };
    socket.once('connect', () => {
      socket.write(`POST /v1/in/${HOOK} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      more();
    });
    socket.on('drain', more);
    socket.on('data', (data: Buffer) => {
      line ||= data.toString('latin1').split('\r\n')[0] ?? '';
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(line === '' ? 'closed' : line));
  });
}

/** What the server read from each connection that asked for something meanwhile. */
async function readByServer(work: () => Promise<readonly string[]>): Promise<{ lines: readonly string[]; read: readonly number[] }> {
  const sockets = new Set<Socket>();
  const seen = (message: unknown): void => void sockets.add((message as { socket: Socket }).socket);
  subscribe('http.server.request.start', seen);
  const lines = await work();
  unsubscribe('http.server.request.start', seen);
  return { lines, read: [...sockets].map(({ bytesRead }) => bytesRead) };
}

describe('cases › limits of the ingress', () => {
  it('202 for a body of exactly the limit, 413 for one byte more, and no row for that (PUB-ING-05)', async () => {
    const [fits, more] = [Buffer.alloc(LIMIT, 0x78), Buffer.alloc(LIMIT + 1, 0x78)];
    expect((await post(service.url, HUBS[0], hubSigned('fits', fits), fits)).status).toBe(202);
    expect(await post(service.url, HUBS[0], hubSigned('more', more), more)).toMatchObject({
      status: 413,
      code: 'HOUSE:ingress:BodyTooLarge',
    });
    expect(await world.schema.sql('SELECT transport_key, LENGTH(payload) AS bytes FROM con_receipt')).toEqual([
      { transport_key: Buffer.from('fits'), bytes: LIMIT },
    ]);
  });

  it('4xx, and nothing stored: twenty bytes under a Content-Length of ten (PUB-ING-05)', async () => {
    const receipts = await world.count('con_receipt');
    const body = '{"changes": []}     ';
    const headers = Object.entries(signed('msg_long', body)).map(([name, value]) => `${name}: ${value}\r\n`);
    const { hostname, port } = new URL(service.url);
    const line = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`POST /v1/in/${HOOK} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n${headers.join('')}\r\n${body}`),
      );
      socket.once('data', (data: Buffer) => {
        resolve(data.toString('latin1').split('\r\n')[0] ?? '');
        socket.destroy();
      });
      socket.once('error', reject);
    });
    // The ten bytes are wrongly signed, the other ten are no request: whichever is seen first is answered.
    expect(line).toMatch(/ 40[01] /);
    expect(await world.count('con_receipt')).toBe(receipts);
  });

  it('413 or closed: fifty unsigned chunked bodies of fifty megabytes at once are cut at the limit, in bounded memory (PUB-ING-06)', async () => {
    const receipts = await world.count('con_receipt');
    const before = process.memoryUsage().rss;
    const { lines, read } = await readByServer(() => Promise.all(Array.from({ length: FLOODS }, flood)));
    const grown = process.memoryUsage().rss - before;
    console.log(`read at most ${Math.max(...read)} bytes of a flood, grew by ${Math.round(grown / 1_048_576)} MiB`);
    expect(lines.filter((line) => line !== 'closed' && !/ 413 /.test(line))).toEqual([]);
    expect(read).toHaveLength(FLOODS);
    expect(Math.max(...read)).toBeLessThanOrEqual(LIMIT + SLACK);
    expect(grown).toBeLessThan(GROWTH_MAX);
    expect(await world.count('con_receipt')).toBe(receipts);
  });
});
