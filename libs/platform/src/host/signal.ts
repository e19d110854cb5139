export type WaitEnd = 'woken' | 'timeout' | 'stopped';

/** A latch of one bit between a wake handler and a loop. A wake that comes while the loop runs is kept, so the next wait returns at once. */
export class Signal {
  #set = false;
  #waiting: (() => void) | undefined;

  notify(): void {
    this.#set = true;
    this.#waiting?.();
  }

  /** Waits for `notify`, at most `ms`, or until `stop`. One waiter at a time. */
  wait(ms: number, stop: AbortSignal): Promise<WaitEnd> {
    if (stop.aborted) return Promise.resolve('stopped');
    if (this.#set) return Promise.resolve(this.#taken());
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
      this.#waiting = () => end(this.#taken());
    });
  }

  #taken(): 'woken' {
    this.#set = false;
    return 'woken';
  }
}
