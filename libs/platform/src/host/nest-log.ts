import type { LoggerService } from '@nestjs/common';
import type { Log } from '../telemetry/log';

/** What Nest says goes through the same allow-list. Its start-up chatter is `debug`: info belongs to transitions. */
export class NestLog implements LoggerService {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.#log.debug('nest', said(message, rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#log.debug('nest', said(message, rest));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#log.debug('nest', said(message, rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#log.warn('nest', said(message, rest));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#log.error('nest', said(message, rest));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#log.error('nest', said(message, rest));
  }
}

/** Nest puts the context last. Objects are never printed: an exception or a request may hold anything. */
function said(message: unknown, rest: readonly unknown[]): { detail: string; context?: string } {
  const context = rest.at(-1);
  const detail = message instanceof Error ? message.message : typeof message === 'string' ? message : `a ${typeof message}`;
  return typeof context === 'string' ? { detail, context } : { detail };
}
