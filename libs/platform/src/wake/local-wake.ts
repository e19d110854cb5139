import { HintOutbox } from './hint-outbox';
import { Subscribers } from './subscribers';
import { type Hint, isHint, readWakeMessage, subscribeMessage, type Wake, type WakeCounter, type WakeState } from './wake';
import type { WakeChannel } from './wake-channel';

/** The child's side: hints go to the supervisor over the child-process channel, which relays them to whoever subscribed. */
export class LocalWake implements Wake {
  readonly #channel: WakeChannel;
  readonly #counter: WakeCounter;
  readonly #outbox: HintOutbox;
  readonly #subscribers: Subscribers;
  readonly #unlisten: () => void;
  #closed = false;

  constructor(channel: WakeChannel, counter: WakeCounter) {
    this.#channel = channel;
    this.#counter = counter;
    this.#outbox = new HintOutbox(channel);
    this.#subscribers = new Subscribers(counter);
    this.#unlisten = channel.listen((message) => this.#receive(message));
  }

  get state(): WakeState {
    return this.#channel.connected ? 'hearing' : 'away';
  }

  emit(hint: Hint): void {
    if (this.#closed) return;
    this.#counter.wake(isHint(hint) && this.#outbox.add({ stage: hint.stage, account: hint.account }) ? 'emitted' : 'dropped');
  }

  subscribe(stages: readonly string[], handler: (hint: Hint) => void): () => void {
    if (this.#closed) return () => undefined;
    const remove = this.#subscribers.add(stages, handler);
    this.#announce();
    return () => {
      remove();
      this.#announce();
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#outbox.close();
    this.#subscribers.close();
    this.#unlisten();
    return Promise.resolve();
  }

  /** The whole list every time, so that a relay that was restarted or missed one is right again. */
  #announce(): void {
    if (!this.#closed) this.#channel.send(subscribeMessage(this.#subscribers.stages), () => undefined);
  }

  #receive(message: unknown): void {
    const read = readWakeMessage(message);
    if (this.#closed || read?.kind !== 'hints') return;
    if (read.dropped > 0) this.#counter.wake('dropped', read.dropped);
    for (const hint of read.hints) this.#subscribers.receive(hint);
  }
}
