import { IsInt, Matches, Max, Min } from 'class-validator';
import { DatabaseServiceConfig, Env, asInt } from '@connector/platform/host/config';

const ORIGIN = /^https?:\/\/[a-zA-Z0-9.[\]:-]+$/;

export class CutoverCoordinatorConfig extends DatabaseServiceConfig {
  @Env('CATALOG_URL') @Matches(ORIGIN) catalogUrl: string = 'http://127.0.0.1:4417';
  @Env('CONTROL_URL') @Matches(ORIGIN) controlUrl: string = 'http://127.0.0.1:4416';
  /** How long a loop waits between two looks, ms. */
  @Env('POLL_MS', asInt) @Max(60_000) @Min(10) @IsInt() pollMs: number = 1_000;
}
