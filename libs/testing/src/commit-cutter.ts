import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { testDatabase } from './engine';

/** `answer`: the COMMIT lands and its answer is lost. `request`: it never arrives. The client cannot tell which. */
export type Cut = 'answer' | 'request';

/** A proxy in front of the test database that makes COMMITs unknown (decisions 13.13): the real driver loses its real connection. */
export class CommitCutter {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #planned: { readonly door: string; readonly cut: Cut }[] = [];
  /** COMMITs that were cut. */
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<CommitCutter> {
    const { host, port } = testDatabase();
    const server = createServer();
    const cutter = new CommitCutter(server);
    server.on('connection', (client) => cutter.#join(client, connect({ host, port, noDelay: true })));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return cutter;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The next COMMIT of this door is cut; several in the order in which they are planned. */
  plan(door: string, cut: Cut): void {
    this.#planned.push({ door, cut });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    const both = [client, server];
    const end = (): void => both.forEach((socket) => socket.destroy());
    let losing = false;
    for (const socket of both) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk: Buffer) => {
      const cut = this.#cutOf(chunk);
      if (cut === 'request') return end();
      losing ||= cut === 'answer';
      server.write(chunk);
    });
    // The answer shows that the commit is durable; it goes no further.
    server.on('data', (chunk: Buffer) => (losing ? end() : client.write(chunk)));
  }

  #cutOf(chunk: Buffer): Cut | undefined {
    const next = this.#planned[0];
    if (next === undefined || !chunk.includes(`/* ${next.door} */ COMMIT`)) return undefined;
    this.#planned.shift();
    this.cuts += 1;
    return next.cut;
  }
}
