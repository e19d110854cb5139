import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { CountingCounter } from '@connector/testing/kafka-bench';
import { until, when } from '@connector/testing/system/until';
import { kafkaClient, type KafkaLine } from './client';
import { KafkaWake, openKafkaWake } from './kafka-wake';
import { Seldom } from './seldom';

const WITHIN_MS = 15_000;
const EMITS = 20_000;

/** A broker that is none: it does with every connection what it is told to. */
class NoBroker {
  connections = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(treat: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      treat(socket);
    });
  }

  static async open(treat: (socket: Socket) => void): Promise<NoBroker> {
    const broker = new NoBroker(treat);
    await new Promise<void>((resolve) => broker.#server.listen(0, '127.0.0.1', resolve));
    return broker;
  }

  get brokers(): readonly string[] {
    return [`127.0.0.1:${(this.#server.address() as AddressInfo).port}`];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const FAULTS: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['dead: it cuts every connection', (socket) => socket.destroy()],
  ['slow: it takes every byte and never answers', (socket) => void socket.resume()],
  [
    'lying: it answers every request with bytes of another protocol',
    (socket) => void socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
  ],
  [
    'lying: it answers every request with a frame of zeroes',
    (socket) => void socket.on('data', () => socket.write(Buffer.concat([Buffer.from([0, 0, 0, 64]), Buffer.alloc(64)]))),
  ],
];

describe('kafka wake without a broker worth the name (reliability I02)', () => {
  const rejections: unknown[] = [];
  const note = (thrown: unknown): void => void rejections.push(thrown);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));

  it.concurrent.each(FAULTS)(
    '%s: emit never waits, memory and tries stay bounded, every hint is counted, closing ends',
    async (_, treat) => {
      const broker = await NoBroker.open(treat);
      const counter = new CountingCounter();
      const lines: KafkaLine[] = [];
      const wake = openKafkaWake(
        { brokers: broker.brokers, topic: 'wake' },
        { service: 'test', counter, warn: (line) => void lines.push(line) },
      );
      wake.subscribe(['claim'], () => undefined);
      for (let at = 0; at < EMITS; at += 1) wake.emit({ stage: 'claim', account: `a/${at}` });
      expect(counter.counts.emitted + counter.counts.dropped).toBe(EMITS);
      // What did not fit was lost at once, what did when its send failed.
      await until('everything is lost', WITHIN_MS, () => when(counter.counts.dropped === EMITS));
      expect(counter.counts.faults).toBeGreaterThan(0);
      expect(wake.state).not.toBe('hearing');
      expect(broker.connections).toBeLessThan(60);
      expect(lines.length).toBeLessThanOrEqual(32);
      await wake.close();
      wake.emit({ stage: 'claim', account: 'a/1' });
      expect(counter.counts.emitted + counter.counts.dropped).toBeGreaterThanOrEqual(EMITS);
      await broker.close();
      expect(rejections).toEqual([]);
    },
  );

  it('dropped at once: while a broker rests from a failure no hint is kept for it', async () => {
    const broker = await NoBroker.open((socket) => socket.destroy());
    const counter = new CountingCounter();
    const kafka = kafkaClient({ brokers: broker.brokers, topic: 'wake' }, 'test', () => undefined);
    const wake = new KafkaWake({ kafka, topic: 'wake', service: 'test', counter });
    wake.emit({ stage: 'claim', account: 'a/1' });
    await until('it failed', WITHIN_MS, () => when(counter.counts.dropped === 1));
    wake.emit({ stage: 'claim', account: 'a/2' });
    expect(counter.counts).toMatchObject({ emitted: 1, dropped: 2 });
    await wake.close();
    await broker.close();
  });
});

describe('the log of a broker that is away', () => {
  it('once in a while: the same text once in thirty seconds, at most 32 texts', () => {
    const seldom = new Seldom();
    expect([seldom.passes('a', 0), seldom.passes('a', 29_999), seldom.passes('b', 10), seldom.passes('a', 30_000)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    const passed = Array.from({ length: 100 }, (_, at) => seldom.passes(`text ${at}`, 30_001)).filter(Boolean);
    expect(passed).toHaveLength(31);
  });
});
