import { PendingHints } from './pending-hints';
import { type Hint, HINTS_MAX, hintsMessage } from './wake';
import type { WakeChannel } from './wake-channel';

/**
 * Sends hints over one channel, at most one message in flight: while a slow reader lets it hang the next ones collapse in the pending set,
 * so that neither memory nor the channel's own buffer grows with the number of emits.
 */
export class HintOutbox {
  readonly #channel: WakeChannel;
  readonly #pending = new PendingHints();
  #inFlight = false;
  #scheduled = false;
  #closed = false;

  constructor(channel: WakeChannel) {
    this.#channel = channel;
  }

  /** False when a hint is lost. */
  add(hint: Hint): boolean {
    if (this.#closed || !this.#channel.connected) return false;
    const kept = this.#pending.add(hint);
    this.#schedule();
    return kept;
  }

  close(): void {
    this.#closed = true;
    this.#pending.clear();
  }

  /** One turn later: the emits of a batch leave as one message. */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight || this.#closed || this.#pending.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#closed || this.#pending.size === 0) return;
    this.#inFlight = true;
    this.#channel.send(hintsMessage(this.#pending.take(HINTS_MAX)), () => {
      this.#inFlight = false;
      this.#schedule();
    });
  }
}
