import { type Kafka, Partitioners, type Producer } from 'kafkajs';
import { RetryableFault } from '@connector/kernel/faults';
import { within } from '../host/within';
import { PendingHints } from '../wake/pending-hints';
import { type Hint, HINTS_MAX, hintsMessage, type WakeCounter } from '../wake/wake';

/** Connecting included. What a send this slow would bring, the poll has found. */
const SEND_MS_MAX = 3_000;
const WAIT_MS_MAX = 5_000;
const CLOSE_MS_MAX = 1_000;
const REST_MS_FIRST = 250;
const REST_MS_MAX = 5_000;

/**
 * Sends hints to the topic, one send in flight; the next ones collapse meanwhile. Nothing is tried twice: a send that fails or hangs loses its
 * hints and those behind it, and for a while every further one, so that a dead or slow broker costs neither memory nor time.
 */
export class KafkaOutbox {
  readonly #kafka: Kafka;
  readonly #topic: string;
  readonly #counter: WakeCounter;
  readonly #pending = new PendingHints();
  #producer: Promise<Producer> | undefined;
  #busy = false;
  #closed = false;
  #failures = 0;
  #restUntil = -Infinity;

  constructor(kafka: Kafka, topic: string, counter: WakeCounter) {
    this.#kafka = kafka;
    this.#topic = topic;
    this.#counter = counter;
  }

  /** False when a hint is lost. */
  add(hint: Hint): boolean {
    if (this.#closed || performance.now() < this.#restUntil) return false;
    const kept = this.#pending.add(hint);
    this.#schedule();
    return kept;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#pending.clear();
    await this.#retire();
  }

  /** One turn later: the emits of a batch leave as one send. */
  #schedule(): void {
    if (this.#busy || this.#closed || this.#pending.size === 0) return;
    this.#busy = true;
    setImmediate(() => void this.#flush());
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    const late = this.#pending.dropOlder(WAIT_MS_MAX);
    if (late > 0) this.#counter.wake('dropped', late);
    const hints = this.#pending.take(HINTS_MAX);
    try {
      if (hints.length > 0 && !this.#closed) await within(SEND_MS_MAX, this.#send(hints), 'a send of hints');
      this.#failures = 0;
    } catch (thrown) {
      this.#failed(thrown, hints.length);
    }
    this.#busy = false;
    this.#schedule();
  }

  async #send(hints: readonly Hint[]): Promise<void> {
    const producer = await (this.#producer ??= this.#connect());
    await producer.send({ topic: this.#topic, acks: 1, timeout: SEND_MS_MAX, messages: messagesOf(hints) });
  }

  async #connect(): Promise<Producer> {
    const producer = this.#kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: { retries: 1, initialRetryTime: 100, maxRetryTime: 200 },
    });
    await producer.connect();
    return producer;
  }

  #failed(thrown: unknown, inHand: number): void {
    if (this.#closed) return;
    this.#counter.wake('dropped', inHand + this.#pending.size);
    this.#pending.clear();
    this.#counter.fault(new RetryableFault('HOUSE:wake:NotSent', 'the broker took no hints', { cause: thrown }));
    this.#failures += 1;
    this.#restUntil = performance.now() + Math.min(REST_MS_MAX, REST_MS_FIRST * 2 ** Math.min(this.#failures - 1, 8));
    void this.#retire();
  }

  /** Never rejects, and is bounded: the connection of a dead broker may not end by itself. */
  async #retire(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    if (producer === undefined) return;
    const ended = producer.then((held) => held.disconnect());
    await within(CLOSE_MS_MAX, ended).catch(() => undefined);
  }
}

/** Keyed by account, so that one partition carries all that an account's consumers may collapse. */
function messagesOf(hints: readonly Hint[]): { readonly key: string; readonly value: string }[] {
  const accounts = new Set(hints.map(({ account }) => account));
  return [...accounts].map((key) => ({ key, value: JSON.stringify(hintsMessage(hints.filter(({ account }) => account === key))) }));
}
