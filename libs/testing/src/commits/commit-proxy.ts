import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { testDatabase } from '../engine';
import { errorAnswer, MysqlPackets, query, queryOf, saysOk, type MysqlPacket } from './mysql-packets';

/**
 * What is done to one COMMIT. `before`: cut, and it never arrives; with `statement`, that one of its transaction instead, 0 being the one that
 * begins it. `late`: cut, and it arrives `ms` after the client saw that. `withheld`:
 * it arrives, and the client is cut instead of getting the answer. `refused`: rolled back, and the client gets this error number.
 * `denied`: committed, and the client gets this error number.
 */
export type Cut =
  | { readonly kind: 'before'; readonly statement?: number }
  | { readonly kind: 'withheld' }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'refused' | 'denied'; readonly errno: number };

/** Where a door's transaction is: before its COMMIT, or before a statement of it. */
interface Place {
  readonly door: string;
  readonly statement: number;
  readonly isCommit: boolean;
}
const MARK = /^\/\* (\S+) \*\/ (START TRANSACTION|COMMIT)$/;

/** What became of one COMMIT at the server, which the client could not know. */
export interface Fate {
  readonly cut: Cut;
  readonly landed: boolean;
  /** `performance.now()` when the server had it, or could have it no more. */
  readonly atMs: number;
}

interface Plan {
  readonly door: string;
  readonly cut: Cut;
  readonly met: (landed: boolean) => void;
}

function fits({ door, cut }: Plan, place: Place): boolean {
  const statement = cut.kind === 'before' ? cut.statement : undefined;
  return door === place.door && (statement === undefined ? place.isCommit : !place.isCommit && statement === place.statement);
}

/**
 * A proxy in front of the test database that makes COMMITs unknown (decisions 13.13): the real driver loses its real connection. What
 * nobody planned for passes untouched. Packets are passed on whole, so each is in memory once.
 */
export class CommitProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #ran = new Map<string, number>();
  #plans: Plan[] = [];
  /** Plans that were met. */
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(to: { readonly host: string; readonly port: number } = testDatabase()): Promise<CommitProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new CommitProxy(server);
    server.on('connection', (client) => {
      const link = new Link(client, connect({ host: to.host, port: to.port, noDelay: true }), (place) => proxy.#planOf(place));
      proxy.#links.add(link);
      void link.over.then(() => proxy.#links.delete(link));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many statements the last transaction of this door had that came to its COMMIT, the one that began it among them. */
  statementsOf(door: string): number {
    return this.#ran.get(door) ?? 0;
  }

  /** The next COMMIT of this door is met with this; several of a door in the order in which they are planned. Resolves when it is known what came of it. */
  plan(door: string, cut: Cut): Promise<Fate> {
    return new Promise((give) => {
      const met = (landed: boolean): void => give({ cut, landed, atMs: performance.now() });
      this.#plans.push({ door, cut, met });
    });
  }

  /** Forgets what was planned and not met; says how much that was. */
  forget(): number {
    const left = this.#plans.length;
    this.#plans = [];
    return left;
  }

  async close(): Promise<void> {
    for (const link of this.#links) link.end();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #planOf(place: Place): Plan | undefined {
    if (place.isCommit) this.#ran.set(place.door, place.statement);
    const next = this.#plans.find((plan) => fits(plan, place));
    if (next === undefined) return undefined;
    this.#plans.splice(this.#plans.indexOf(next), 1);
    this.cuts += 1;
    return next;
  }
}

/** One connection of a client and the one that was made for it. */
class Link {
  readonly over: Promise<void>;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #planOf: (place: Place) => Plan | undefined;
  readonly #asked = new MysqlPackets();
  readonly #answered = new MysqlPackets();
  /** The COMMIT whose answer is the next packet of the server, or whose connection is ending. */
  #plan: Plan | undefined;
  /** The door whose transaction is open, and how many of its statements came. */
  #open: Pick<Place, 'door' | 'statement'> | undefined;

  constructor(client: Socket, server: Socket, planOf: (place: Place) => Plan | undefined) {
    [this.#client, this.#server, this.#planOf] = [client, server, planOf];
    this.over = new Promise((resolve) => server.once('close', () => resolve()));
    client.on('data', (chunk: Buffer) => this.#asked.push(chunk).forEach((one) => this.#ask(one)));
    server.on('data', (chunk: Buffer) => this.#answered.push(chunk).forEach((one) => this.#answer(one)));
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
    // What waits for its late COMMIT outlives the client that it was cut from.
    client.on('close', () => {
      if (this.#plan === undefined) server.end();
    });
    server.on('close', () => this.#serverGone());
  }

  end(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #ask(one: MysqlPacket): void {
    if (this.#plan !== undefined) return;
    const text = queryOf(one);
    const place = text === undefined ? undefined : this.#placeOf(text);
    const plan = place && this.#planOf(place);
    if (plan === undefined) return void this.#server.write(one.bytes);
    this.#plan = plan;
    this.#meet(plan.cut, one);
  }

  #placeOf(text: string): Place | undefined {
    const [, door, mark] = MARK.exec(text) ?? [];
    const before = this.#open;
    if (text === 'ROLLBACK' || mark === 'COMMIT') this.#open = undefined;
    else if (door !== undefined) this.#open = { door, statement: 0 };
    else if (before !== undefined) this.#open = { ...before, statement: before.statement + 1 };
    if (mark === 'COMMIT' && door !== undefined) return { door, statement: (before?.statement ?? -1) + 1, isCommit: true };
    return this.#open && { ...this.#open, isCommit: false };
  }

  #meet(cut: Cut, commit: MysqlPacket): void {
    switch (cut.kind) {
      case 'before':
        return this.end();
      case 'late':
        this.#client.once('close', () => setTimeout(() => this.#server.write(commit.bytes), cut.ms));
        return void this.#client.destroy();
      case 'withheld':
      case 'denied':
        return void this.#server.write(commit.bytes);
      case 'refused':
        return void this.#server.write(query('ROLLBACK'));
    }
  }

  #answer(one: MysqlPacket): void {
    const plan = this.#plan;
    if (plan === undefined) return void this.#client.write(one.bytes);
    this.#plan = undefined;
    const { cut } = plan;
    plan.met(cut.kind !== 'refused' && saysOk(one));
    if (cut.kind === 'refused' || cut.kind === 'denied') this.#client.write(errorAnswer(cut.errno, 'made by the proxy'));
    else this.end();
  }

  #serverGone(): void {
    this.#client.end();
    this.#plan?.met(false);
    this.#plan = undefined;
  }
}
