import { randomUUID } from 'node:crypto';
import { kafkaClient } from '@connector/platform/kafka/client';
import type { KafkaPlace } from '@connector/platform/kafka/place';
import { KafkaWake } from '@connector/platform/kafka/kafka-wake';
import type { WakeCounter } from '@connector/platform/wake/wake';
import { until } from './system/until';

const WITHIN_MS = 20_000;
/** More than a topic of ours takes, so that a lie of this size reaches the consumer. */
const LIE_BYTES_MAX = 4 * 1024 * 1024;
type Kafka = ReturnType<typeof kafkaClient>;

export class CountingCounter implements WakeCounter {
  readonly counts = { emitted: 0, received: 0, dropped: 0, faults: 0 };
  wake(kind: 'emitted' | 'received' | 'dropped', count = 1): void {
    this.counts[kind] += count;
  }
  fault(): void {
    this.counts.faults += 1;
  }
}

/** Everything of one topic of one partition, so that what was sent first is heard first. */
export class KafkaBench {
  readonly topic: string;
  readonly counter = new CountingCounter();
  readonly receiverCounter = new CountingCounter();
  readonly sender: KafkaWake;
  readonly receiver: KafkaWake;
  readonly #producer: ReturnType<Kafka['producer']>;
  #heardMark = 0;
  readonly #closed = new Set<KafkaWake>();
  #injected: Promise<unknown> = Promise.resolve();
  #mark = 0;

  constructor(kafka: Kafka, topic: string) {
    this.topic = topic;
    this.sender = this.#watched(new KafkaWake({ kafka, topic, service: 'sender', counter: this.counter }));
    this.receiver = this.#watched(new KafkaWake({ kafka, topic, service: 'receiver', counter: this.receiverCounter }));
    this.receiver.subscribe(['mark'], ({ account }) => {
      this.#heardMark = Number(account);
    });
    this.#producer = kafka.producer();
    this.#injected = this.#producer.connect();
  }

  static async open(place: KafkaPlace): Promise<KafkaBench> {
    const kafka = kafkaClient(place, 'test', () => undefined);
    const topic = `wake-${randomUUID()}`;
    const admin = kafka.admin();
    await admin.connect();
    const configEntries = [{ name: 'max.message.bytes', value: String(LIE_BYTES_MAX) }];
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] });
    await admin.disconnect();
    return new KafkaBench(kafka, topic);
  }

  send(value: Buffer | string | null, compression = 0): void {
    this.#injected = this.#injected.then(() => this.#producer.send({ topic: this.topic, compression, messages: [{ value }] }));
  }

  /** As one batch, so that all of it arrives in one turn. */
  sendAll(values: readonly string[]): void {
    const messages = values.map((value) => ({ value }));
    this.#injected = this.#injected.then(() => this.#producer.send({ topic: this.topic, messages }));
  }

  /** Until a mark that went behind everything else was heard, on the way of the sender and on that of the injector. */
  async settle(): Promise<void> {
    await this.#injected;
    if (this.#closed.has(this.receiver)) return;
    if (!this.#closed.has(this.sender)) await this.#heard((account) => this.sender.emit({ stage: 'mark', account }));
    await this.#heard((account) => this.send(JSON.stringify({ type: 'wake', hints: [{ stage: 'mark', account }] })));
  }

  async close(): Promise<void> {
    await Promise.all([this.sender.close(), this.receiver.close()]);
    await this.#injected;
    await this.#producer.disconnect();
  }

  /** Sent again until it is heard: what is sent before the receiver joined goes to nobody. */
  async #heard(say: (account: string) => void): Promise<void> {
    const first = this.#mark + 1;
    await until('a mark is heard', WITHIN_MS, () => {
      if (this.#heardMark >= first) return true;
      say(String((this.#mark += 1)));
      return undefined;
    });
  }

  #watched(wake: KafkaWake): KafkaWake {
    const close = wake.close.bind(wake);
    wake.close = () => {
      this.#closed.add(wake);
      return close();
    };
    return wake;
  }
}
