import { connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CompressionCodecs, CompressionTypes, KafkaJSNonRetriableError } from 'kafkajs';
import { CountingCounter, KafkaBench } from '@connector/testing/kafka-bench';
import { until, when } from '@connector/testing/system/until';
import { BROKER_WITHIN_MS, openTestBroker } from '@connector/testing/test-broker';
import { wakeConformance } from '@connector/testing/wake-conformance';
import type { Broker } from '../broker/broker';
import { resolveBroker } from '../broker/resolve';
import { Health } from '../host/health';
import { watchWake } from '../host/open-wake';
import type { Hint } from '../wake/wake';
import { kafkaClient } from './client';
import { KafkaWake } from './kafka-wake';

const WITHIN_MS = 20_000;
const HONEST: Hint = { stage: 'claim', account: 'honest/1' };

describe('over a broker [needs kafka]', () => {
  let broker: Broker;
  let bench: KafkaBench;
  beforeAll(async () => {
    broker = await openTestBroker();
  }, BROKER_WITHIN_MS);
  afterAll(() => broker?.stop(), 60_000);
  afterEach(() => bench?.close());

  wakeConformance('kafka', async () => {
    bench = await KafkaBench.open(broker.place);
    const { sender, receiver } = bench;
    return { sender, receiver, inject: (message) => bench.send(JSON.stringify(message)), settle: () => bench.settle(), delivers: true };
  });

  describe('kafka wake', () => {
    let heard: Hint[];
    beforeEach(async () => {
      bench = await KafkaBench.open(broker.place);
      heard = [];
      bench.receiver.subscribe(['claim'], (hint) => void heard.push(hint));
      await bench.settle();
    });

    it('dropped: bytes that are no JSON, none at all and a megabyte of them are counted and read no further (reliability I01)', async () => {
      const before = bench.receiverCounter.counts.dropped;
      for (const lie of [Buffer.from([0xff, 0xfe, 0]), '', null, '{"type":"wake","hints":', Buffer.alloc(1_100_000, '[')]) bench.send(lie);
      bench.send(JSON.stringify({ type: 'wake', hints: [HONEST] }));
      await bench.settle();
      expect(heard).toEqual([HONEST]);
      expect(bench.receiverCounter.counts).toMatchObject({ dropped: before + 5, faults: 0 });
    });

    it('passed over: hints of stages that nobody here heard of crowd out none of ours', async () => {
      const messageOf = (hints: readonly Hint[]): string => JSON.stringify({ type: 'wake', hints });
      const strange = Array.from({ length: 30 }, (_, message) =>
        messageOf(Array.from({ length: 200 }, (__, at) => ({ stage: 'elsewhere', account: `x/${message}/${at}` }))),
      );
      bench.sendAll([messageOf([HONEST]), ...strange]);
      await bench.settle();
      expect(heard).toEqual([HONEST]);
      expect(bench.receiverCounter.counts.dropped).toBe(0);
    });

    it('collapsed: a broker that brings each message a thousand times wakes nobody a thousand times (reliability I03)', async () => {
      bench.sendAll(Array.from({ length: 1_000 }, () => JSON.stringify({ type: 'wake', hints: [HONEST] })));
      await bench.settle();
      expect(heard.length).toBeGreaterThan(0);
      expect(heard.length).toBeLessThan(100);
    });
  });

  it('crashed, then hearing: what the client itself cannot read ends its consumer and makes the service unready; the next one begins behind it', async () => {
    bench = await KafkaBench.open(broker.place);
    const health = new Health();
    watchWake(health, bench.receiver);
    const failing = async (): Promise<readonly string[]> => (await health.readiness()).failing;
    const { [CompressionTypes.GZIP]: unpacker } = CompressionCodecs;
    const heard: Hint[] = [];
    bench.receiver.subscribe(['claim'], (hint) => void heard.push(hint));
    await bench.settle();
    // The broker can read it; to the client it is a way of packing that it never heard of.
    CompressionCodecs[CompressionTypes.GZIP] = () => ({
      compress: ({ buffer }: { readonly buffer: Buffer }) => promisify(gzip)(buffer),
      decompress: () => Promise.reject(new KafkaJSNonRetriableError('no such packing')),
    });
    bench.send(JSON.stringify({ type: 'wake', hints: [{ stage: 'claim', account: 'a/1' }] }), CompressionTypes.GZIP);
    await until('it crashed', WITHIN_MS, () => when(bench.receiver.state === 'crashed'));
    expect(await failing()).toEqual(['wake']);
    expect(bench.receiverCounter.counts.faults).toBeGreaterThan(0);
    CompressionCodecs[CompressionTypes.GZIP] = unpacker;
    await until('it hears again', WITHIN_MS, () => when(bench.receiver.state === 'hearing'));
    expect(await failing()).toEqual([]);
    bench.send(JSON.stringify({ type: 'wake', hints: [{ stage: 'claim', account: 'a/2' }] }));
    await bench.settle();
    expect(heard).toEqual([{ stage: 'claim', account: 'a/2' }]);
  });

  it('shared: a second one joins the broker that runs; given by its address it is used and not stopped', async () => {
    const again = await openTestBroker();
    expect(again).toMatchObject({ pid: broker.pid, place: broker.place });
    await again.stop();
    const env = {
      CONNECTOR_KAFKA_BROKERS: broker.place.brokers.join(','),
      CONNECTOR_KAFKA_TOPIC: 'given.wake',
      CONNECTOR_KAFKA_TLS: 'off',
    };
    const given = await resolveBroker({ dataDir: '/nowhere', env });
    expect(given.settings).toEqual({ KAFKA_BROKERS: env.CONNECTOR_KAFKA_BROKERS, KAFKA_TOPIC: 'given.wake', KAFKA_TLS: 'off' });
    await given.stop();
    const admin = kafkaClient(broker.place, 'test', () => undefined).admin();
    await admin.connect();
    expect(await admin.listTopics()).toEqual(expect.arrayContaining(['given.wake', broker.place.topic]));
    await admin.disconnect();
  });

  it('away, then hearing: a service that starts before its broker hears it once it is there', async () => {
    const [host = '', port = ''] = (broker.place.brokers[0] ?? '').split(':');
    const door = createServer((socket) => {
      const through = connect(Number(port), host);
      socket.on('error', () => through.destroy()).pipe(through);
      through.on('error', () => socket.destroy()).pipe(socket);
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    const address = door.address();
    const place = { ...broker.place, brokers: [`127.0.0.1:${typeof address === 'object' ? address?.port : 0}`] };
    await new Promise((resolve) => door.close(resolve));
    const kafka = kafkaClient(place, 'early', () => undefined);
    const wake = new KafkaWake({ kafka, topic: place.topic, service: 'early', counter: new CountingCounter() });
    wake.subscribe(['claim'], () => undefined);
    await until('nobody is there', WITHIN_MS, () => when(wake.state === 'away'));
    await new Promise<void>((resolve) => door.listen(address, resolve));
    await until('it hears', WITHIN_MS, () => when(wake.state === 'hearing'));
    await wake.close();
    door.close();
  });
});
