import { IsInt, Max, Min } from 'class-validator';
import { DatabaseServiceConfig, Env, asInt } from '@connector/platform/host/config';

export class OutboundDispatcherConfig extends DatabaseServiceConfig {
  /** How long a loop waits between two looks, ms. */
  @Env('POLL_MS', asInt) @Max(60_000) @Min(10) @IsInt() pollMs: number = 1_000;
}
