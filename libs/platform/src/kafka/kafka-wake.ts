import type { Kafka } from 'kafkajs';
import { kafkaClient, type KafkaLine } from './client';
import { KafkaEar } from './ear';
import { KafkaOutbox } from './outbox';
import type { KafkaPlace } from './place';
import { Seldom } from './seldom';
import { setupTrouble } from './trouble';
import { Subscribers } from '../wake/subscribers';
import { type Hint, isHint, type Wake, type WakeCounter, type WakeState } from '../wake/wake';

export interface KafkaWakeParts {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly service: string;
  readonly counter: WakeCounter;
}

/** Hints over one topic, keyed by account. Whoever only emits joins no group, whoever only hears has no producer. */
export class KafkaWake implements Wake {
  readonly #counter: WakeCounter;
  readonly #outbox: KafkaOutbox;
  readonly #subscribers: Subscribers;
  readonly #ear: KafkaEar;
  #closed = false;

  constructor({ kafka, topic, service, counter }: KafkaWakeParts) {
    this.#counter = counter;
    this.#outbox = new KafkaOutbox(kafka, topic, counter);
    this.#subscribers = new Subscribers(counter);
    const receive = (hint: Hint): void => this.#receive(hint);
    this.#ear = new KafkaEar({ kafka, topic, group: `${topic}.${service}`, receive, counter });
  }

  get state(): WakeState {
    return this.#ear.state;
  }

  emit(hint: Hint): void {
    if (this.#closed) return;
    this.#counter.wake(isHint(hint) && this.#outbox.add({ stage: hint.stage, account: hint.account }) ? 'emitted' : 'dropped');
  }

  subscribe(stages: readonly string[], handler: (hint: Hint) => void): () => void {
    if (this.#closed) return () => undefined;
    const remove = this.#subscribers.add(stages, handler);
    if (stages.length > 0) this.#ear.start();
    return remove;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#subscribers.close();
    await Promise.all([this.#outbox.close(), this.#ear.close()]);
  }

  /** Before they collapse: the topic carries every stage, and those of nobody here must not crowd out ours. */
  #receive(hint: Hint): void {
    if (!this.#closed && this.#subscribers.stages.includes(hint.stage)) this.#subscribers.receive(hint);
  }
}

export interface OpenKafkaWake {
  readonly service: string;
  readonly counter: WakeCounter;
  /** Where the client's warnings go, each once in a while: a broker that is away is nobody's page. */
  readonly warn: (line: KafkaLine) => void;
}

export function openKafkaWake(place: KafkaPlace, { service, counter, warn }: OpenKafkaWake): KafkaWake {
  const seldom = new Seldom();
  const tell = (line: KafkaLine): void => {
    if (seldom.passes(`${line.context} ${line.detail}`)) warn(line);
  };
  const kafka = kafkaClient(place, `connector-${service}`, tell);
  return new KafkaWake({ kafka, topic: place.topic, service, counter: explaining(counter, place, tell) });
}

/** A service that is set up wrongly polls on and is ready: without this line nobody would know that it hears nothing. */
function explaining(counter: WakeCounter, place: KafkaPlace, tell: (line: KafkaLine) => void): WakeCounter {
  return {
    wake: (kind, count) => counter.wake(kind, count),
    fault: (thrown) => {
      counter.fault(thrown);
      const detail = setupTrouble(thrown, place);
      if (detail !== undefined) tell({ context: 'Connector', detail });
    },
  };
}
