import { HintOutbox } from './hint-outbox';
import { type Hint, readWakeMessage } from './wake';
import type { WakeChannel } from './wake-channel';

interface Child {
  readonly outbox: HintOutbox;
  stages: ReadonlySet<string>;
}

/** The supervisor's side of `local`: every hint of a child goes to the children that subscribed to its stage, the sender among them. */
export class LocalRelay {
  readonly #children = new Set<Child>();

  /** Connects one child; the returned function disconnects it, to be called when the child ends. */
  attach(channel: WakeChannel): () => void {
    const child: Child = { outbox: new HintOutbox(channel), stages: new Set() };
    this.#children.add(child);
    const unlisten = channel.listen((message) => this.#receive(child, message));
    return () => {
      unlisten();
      child.outbox.close();
      this.#children.delete(child);
    };
  }

  #receive(from: Child, message: unknown): void {
    const read = readWakeMessage(message);
    if (read?.kind === 'subscribe') from.stages = new Set(read.stages);
    if (read?.kind === 'hints') for (const hint of read.hints) this.#relay(hint);
  }

  #relay(hint: Hint): void {
    for (const child of this.#children) if (child.stages.has(hint.stage)) child.outbox.add(hint);
  }
}
