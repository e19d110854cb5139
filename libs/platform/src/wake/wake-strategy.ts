import { BaseRpcContext, type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Hint, Wake, WakeCounter } from './wake';

/** Nest's side of the port: a handler is an `@EventPattern(stage)` and cannot tell which adapter woke it (house 4.7). */
export class WakeStrategy extends Server implements CustomTransportStrategy {
  readonly #wake: Wake;
  readonly #counter: WakeCounter;
  #unsubscribe: () => void = () => undefined;

  constructor(wake: Wake, counter: WakeCounter) {
    super();
    this.#wake = wake;
    this.#counter = counter;
  }

  override listen(callback: () => void): void {
    this.#unsubscribe = this.#wake.subscribe([...this.messageHandlers.keys()], (hint) => this.#handle(hint));
    callback();
  }

  override close(): void {
    this.#unsubscribe();
  }

  override on(): void {
    return undefined; // the port has no events of its own
  }

  override unwrap<T>(): T {
    throw new TypeError('a wake adapter shows nothing behind it');
  }

  #handle(hint: Hint): void {
    this.handleEvent(hint.stage, { pattern: hint.stage, data: hint }, new BaseRpcContext([])).catch((thrown: unknown) =>
      this.#counter.fault(thrown),
    );
  }
}
