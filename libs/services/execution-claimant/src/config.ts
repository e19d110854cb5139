import { IsInt, Matches, Max, Min } from 'class-validator';
import { asInt, DatabaseServiceConfig, Env } from '@connector/platform/host/config';

export class ClaimantConfig extends DatabaseServiceConfig {
  @Env('RUNTIME_URL') @Matches(/^https?:\/\/[^/]+$/, { message: 'must be an origin' }) runtimeUrl: string = 'http://127.0.0.1:4412';
  /** How long each loop waits between two looks, ms. */
  @Env('POLL_MS', asInt) @Max(60_000) @Min(10) @IsInt() pollMs: number = 1_000;
}
