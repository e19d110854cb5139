/** How a wait ended: by a hint, by work of one's own that made room, by its time, or for good. */
export type WaitEnd = 'woken' | 'poked' | 'timeout' | 'stopped';

/** A latch between whoever notifies and a loop. What comes while the loop runs is kept, so the next wait returns at once. */
export class Signal {
  #set: 'woken' | 'poked' | undefined;
  #waiting: (() => void) | undefined;

  /** A hint came. */
  notify(): void {
    this.#set = 'woken';
    this.#waiting?.();
  }

  /** Work of this process made another look worth while; no hint did. */
  poke(): void {
    this.#set ??= 'poked';
    this.#waiting?.();
  }

  /** Waits for `notify` or `poke`, at most `ms`, or until `stop`. One waiter at a time. */
  wait(ms: number, stop: AbortSignal): Promise<WaitEnd> {
    if (stop.aborted) return Promise.resolve('stopped');
    if (this.#set !== undefined) return Promise.resolve(this.#taken(this.#set));
    return new Promise((resolve) => {
      const end = (how: WaitEnd): void => {
        clearTimeout(timer);
        stop.removeEventListener('abort', stopped);
        this.#waiting = undefined;
        resolve(how);
      };
      const stopped = (): void => end('stopped');
      const timer = setTimeout(() => end('timeout'), ms);
      stop.addEventListener('abort', stopped, { once: true });
      this.#waiting = () => end(this.#taken(this.#set ?? 'woken'));
    });
  }

  #taken(how: 'woken' | 'poked'): WaitEnd {
    this.#set = undefined;
    return how;
  }
}
