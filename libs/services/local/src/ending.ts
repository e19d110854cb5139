/** Whether somebody asked for the end: a signal, or the control endpoint. The first one is kept; a second signal does not wait any longer. */
export class Ending {
  readonly asked: Promise<void>;
  #hear: () => void = () => undefined;
  #isAsked = false;

  constructor() {
    this.asked = new Promise((resolve) => (this.#hear = resolve));
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  ask(): void {
    this.#isAsked = true;
    this.#hear();
  }

  /** `insist` is called when a further signal comes while everything is already being ended. */
  listen(insist: () => void): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => (this.#isAsked ? insist() : this.ask()));
  }

  /** `work`, or undefined as soon as the end is asked for: for waits, which may be left alone. */
  orEnd<T>(work: Promise<T>): Promise<T | undefined> {
    return Promise.race([work, this.asked.then(() => undefined)]);
  }
}
