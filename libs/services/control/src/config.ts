import { IsInt, Max, Min } from 'class-validator';
import { DatabaseServiceConfig, Env, asInt } from '@connector/platform/host/config';

export class ControlConfig extends DatabaseServiceConfig {
  /** How long a look at key sets and decisions whose gate is behind waits for the next, ms. */
  @Env('POLL_MS', asInt) @Max(60_000) @Min(10) @IsInt() pollMs: number = 1_000;
}
