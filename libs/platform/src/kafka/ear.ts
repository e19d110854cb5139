import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, Kafka } from 'kafkajs';
import { RetryableFault } from '@connector/kernel/faults';
import { within } from '../host/within';
import { type Hint, readWakeMessage, type WakeCounter, type WakeState } from '../wake/wake';

/** A message of ours holds at most 256 short hints. A larger one is a lie and is not even read as text. */
const VALUE_BYTES_MAX = 128 * 1024;
const FETCH_BYTES_MAX = 1024 * 1024;
const FETCH_WAIT_MS = 500;
const CLOSE_MS_MAX = 2_000;
const REST_MS_FIRST = 250;
const REST_MS_MAX = 5_000;

export interface KafkaEarParts {
  readonly kafka: Kafka;
  readonly topic: string;
  /** One a service: a hint reaches one of its instances, and the others poll. */
  readonly group: string;
  readonly receive: (hint: Hint) => void;
  readonly counter: WakeCounter;
}

/**
 * Hears the topic from its end on; offsets are never committed, for what was missed the poll has found. A consumer that ended is replaced by a
 * new one, after a rest, for ever: when the broker was away that is all, when it crashed for another reason the service is unready meanwhile.
 */
export class KafkaEar {
  readonly #parts: KafkaEarParts;
  readonly #closing = new AbortController();
  #life: Promise<void> | undefined;
  #state: WakeState = 'joining';
  #failures = 0;

  constructor(parts: KafkaEarParts) {
    this.#parts = parts;
  }

  get state(): WakeState {
    return this.#state;
  }

  start(): void {
    if (!this.#closing.signal.aborted) this.#life ??= this.#live();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#life !== undefined) await within(2 * CLOSE_MS_MAX, this.#life).catch(() => undefined);
  }

  /** Never rejects. */
  async #live(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#hear().catch((thrown: unknown) => this.#ended(thrown));
      const rest = Math.min(REST_MS_MAX, REST_MS_FIRST * 2 ** Math.min(this.#failures, 8));
      await pause(rest, undefined, { signal }).catch(() => undefined);
    }
  }

  async #hear(): Promise<void> {
    const { kafka, topic, group } = this.#parts;
    const consumer = kafka.consumer({
      groupId: group,
      allowAutoTopicCreation: false,
      maxBytes: FETCH_BYTES_MAX,
      maxBytesPerPartition: FETCH_BYTES_MAX,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      sessionTimeout: 10_000,
      heartbeatInterval: 3_000,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
    const left = new AbortController();
    const ended = this.#endOf(consumer, left.signal);
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: false });
      await consumer.run({
        autoCommit: false,
        eachBatch: ({ batch }) => {
          for (const { value } of batch.messages) this.#take(value);
          return Promise.resolve();
        },
      });
      await ended;
    } finally {
      left.abort();
      await within(CLOSE_MS_MAX, consumer.disconnect()).catch(() => undefined);
    }
  }

  /** Resolves when we are asked to close, rejects when the consumer crashed. `left`: nobody waits for this any more; over years of a bad broker there are many. */
  #endOf(consumer: Consumer, left: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
      this.#closing.signal.addEventListener('abort', () => resolve(), { once: true, signal: left });
    });
    // It may crash before anybody waits for it.
    ended.catch(() => undefined);
    consumer.on('consumer.group_join', () => {
      this.#state = 'hearing';
      this.#failures = 0;
    });
    return ended;
  }

  #ended(thrown: unknown): void {
    const away = isAway(thrown);
    this.#failures += 1;
    this.#state = away ? 'away' : 'crashed';
    this.#parts.counter.fault(away ? new RetryableFault('HOUSE:wake:BrokerAway', 'no broker to hear', { cause: thrown }) : thrown);
  }

  /** Whatever the bytes are, nothing is thrown: an error here would bring the same bytes again and again. */
  #take(value: Buffer | null): void {
    const read = value === null || value.length > VALUE_BYTES_MAX ? undefined : readWakeMessage(jsonOf(value));
    if (read?.kind !== 'hints') return this.#parts.counter.wake('dropped');
    if (read.dropped > 0) this.#parts.counter.wake('dropped', read.dropped);
    for (const hint of read.hints) this.#parts.receive(hint);
  }
}

function jsonOf(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether the first cause is one that the client itself would try again: no connection, no leader yet, no answer in time. */
function isAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const retriable: unknown = Reflect.get(thrown, 'retriable');
  return thrown.cause instanceof Error ? isAway(thrown.cause) : retriable === true;
}
