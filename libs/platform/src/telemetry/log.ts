import pino, { type DestinationStream, type Logger } from 'pino';
import { redact } from './redact';

/** error = someone must act; warn = a refused write that surprises; info = transitions; debug = the rest. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything that a log line may carry. A field that is not here is dropped, so that no object is ever logged whole (con:INV-18). */
export const LOG_FIELDS = [
  'account',
  'attempts',
  'caller',
  'check',
  'code',
  'context',
  'count',
  'detail',
  'door',
  'epoch',
  'expected_fence',
  'actual_fence',
  'fault',
  'from',
  'host',
  'kind',
  'loop',
  'method',
  'ms',
  'pid',
  'port',
  'reason',
  'root',
  'route',
  'row',
  'stack',
  'stage',
  'statement',
  'status',
  'to',
  'version',
] as const;
export type LogField = (typeof LOG_FIELDS)[number];
export type LogFields = { readonly [F in LogField]?: string | number | bigint | boolean | undefined };

const TEXT_CHARS_MAX = 4_096;
/** Bytes that wait for a reader that does not read. Beyond it lines are dropped: a frozen supervisor must not freeze the service. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;

export type LogDestination = DestinationStream & { flushSync?(): void };

export interface LogOptions {
  readonly service: string;
  readonly generation: string;
  readonly level: LogLevel;
  /** Where lines go; standard output when absent. */
  readonly destination?: LogDestination | undefined;
}

/** JSON lines, one wide event each, through one allow-list and one redaction. */
export class Log {
  readonly #pino: Logger;
  readonly #flush: () => void;

  constructor(options: LogOptions) {
    const destination = options.destination ?? pino.destination({ fd: 1, sync: false, minLength: 0, maxLength: HELD_BYTES_MAX });
    this.#flush = () => destination.flushSync?.();
    this.#pino = pino(
      {
        level: options.level,
        base: { service: options.service, generation: options.generation, pid: process.pid },
        messageKey: 'evt',
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      destination,
    );
  }

  error(evt: string, fields: LogFields = {}): void {
    this.#pino.error(allowed(fields), redact(evt));
  }

  warn(evt: string, fields: LogFields = {}): void {
    this.#pino.warn(allowed(fields), redact(evt));
  }

  info(evt: string, fields: LogFields = {}): void {
    this.#pino.info(allowed(fields), redact(evt));
  }

  debug(evt: string, fields: LogFields = {}): void {
    this.#pino.debug(allowed(fields), redact(evt));
  }

  /** Writes out what is held. For the last moment of a process; blocks. */
  flush(): void {
    try {
      this.#flush();
    } catch {
      // The reader is gone or the stream was never opened: there is nobody left to tell.
    }
  }
}

/** The list is checked at run time too: types do not hold for what a caller spreads in. */
function allowed(fields: LogFields): Record<string, string | number | boolean> {
  const line: Record<string, string | number | boolean> = {};
  for (const field of LOG_FIELDS) {
    const value = fields[field];
    if (typeof value === 'string') line[field] = redact(value.slice(0, TEXT_CHARS_MAX));
    else if (typeof value === 'bigint') line[field] = value.toString();
    else if (typeof value === 'number' || typeof value === 'boolean') line[field] = value;
  }
  return line;
}
