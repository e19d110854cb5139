import type { DynamicModule, Type } from '@nestjs/common';
import type { DbRole, Service } from '@connector/kernel/roles';
import type { SecretBackend } from '../secrets/secret-backend';
import type { Log } from '../telemetry/log';
import type { Telemetry } from '../telemetry/metrics';
import type { Wake } from '../wake/wake';
import type { Caller } from './auth';
import type { ServiceConfig } from './config';
import type { Health } from './health';
import type { LoopSpec } from './loop';

/** What the host gives to a service while it is put together. */
export interface Host<C extends ServiceConfig> {
  readonly config: Readonly<C>;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly health: Health;
  readonly wake: Wake;
  readonly secrets: SecretBackend;
  /** The token with which this service speaks to `callee`. */
  tokenFor(callee: Service): Promise<string>;
  /** Runs when the loops have stopped and before the server closes: empties a batch queue, waits for calls in flight. */
  onDrain(name: string, run: () => Promise<unknown>): void;
  /** Runs after the server closed, latest first: ends pools. */
  onClose(name: string, run: () => Promise<unknown>): void;
}

export interface ServiceParts {
  /** The one Nest module of the service. */
  readonly module: Type | DynamicModule;
  readonly loops?: readonly LoopSpec[];
}

/** A service as data: `apps/<service>/main.ts` boots one, `apps/local` starts all of them as processes (house 3.2). */
export interface ServiceDefinition<C extends ServiceConfig = ServiceConfig> {
  readonly name: Service;
  readonly defaultPort: number;
  /** The database users that its pools run under; none for a service without a database. */
  readonly roles: readonly DbRole[];
  readonly Config: new () => C;
  /** Whose tokens are taken; routes marked `@Public()` take everybody. */
  readonly callers: readonly Caller[];
  /** Default 64 KiB. */
  readonly bodyBytesMax?: number;
  /** Every body arrives as the Buffer that was sent, whatever its content type: signatures are checked before anything is parsed. */
  readonly rawBody?: boolean;
  /** Bodies are left on the socket for the handler to read: the cap is the account's, and it is kept while the bytes arrive. */
  readonly streamBody?: boolean;
  /** Opens pools and ports and names the module and the loops. What it opened is closed by `onClose`, also when the boot fails later. */
  build(host: Host<C>): Promise<ServiceParts>;
}

export interface RunningService {
  readonly name: Service;
  readonly url: string;
  readonly port: number;
  readonly telemetry: Telemetry;
  readonly health: Health;
  /** Drains and closes as SIGTERM does; resolves when all is closed. */
  stop(): Promise<void>;
}
