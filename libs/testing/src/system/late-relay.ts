import { LocalRelay } from '@connector/platform/wake/local-relay';
import type { WakeChannel } from '@connector/platform/wake/wake-channel';
import type { Random } from './random';

const LATE_MS_MAX = 400;
const TIMES = 3;

/** A relay that can be told to bring every hint three times, each time late and not in the order in which they were sent. */
export class LateRelay extends LocalRelay {
  readonly #random: Random;
  readonly #brought: (() => void)[] = [];
  late = false;
  /** How many hints were made late and doubled. */
  twisted = 0;

  constructor(random: Random) {
    super();
    this.#random = random;
  }

  override attach(channel: WakeChannel): () => void {
    return super.attach({
      get connected() {
        return channel.connected;
      },
      send: (message, sent) => channel.send(message, sent),
      listen: (receive) => channel.listen((message) => this.#bring(receive, message)),
    });
  }

  /** Every hint that was late comes once more, the last one first. */
  againInReverse(): void {
    for (const bring of this.#brought.splice(0).reverse()) bring();
  }

  #bring(receive: (message: unknown) => void, message: unknown): void {
    const isHints = typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'wake';
    if (!this.late || !isHints) return receive(message);
    this.twisted += 1;
    this.#brought.push(() => receive(message));
    for (let times = 0; times < TIMES; times += 1) setTimeout(() => receive(message), this.#random.below(LATE_MS_MAX));
  }
}
