import { IsInt, Matches, Max, Min } from 'class-validator';
import { DatabaseServiceConfig, Env, asInt } from '@connector/platform/host/config';

const ORIGIN = /^http:\/\/[a-z0-9.-]+:[0-9]{1,5}$/;

export class EgressAdapterConfig extends DatabaseServiceConfig {
  /** The longest wait between two looks, ms. */
  @Env('POLL_MS', asInt) @Max(60_000) @Min(10) @IsInt() pollMs: number = 1_000;
  /** Calls at the same time; also the largest number of permits that one crash can leave unknown. */
  @Env('CALL_SLOTS', asInt) @Max(100) @Min(1) @IsInt() callSlots: number = 16;
  /** The name under which permits are granted; one process has it at a time. */
  @Env('EGRESS_HOLDER') @Matches(/^[a-z0-9][a-z0-9._-]{0,63}$/) holderId: string = 'egress-1';
  /** The only way out (decisions 13.18). */
  @Env('EGRESS_PROXY_URL') @Matches(ORIGIN) egressProxyUrl: string = 'http://127.0.0.1:4421';
  /** Exact version of this generation's token for the proxy. */
  @Env('EGRESS_TOKEN_VERSION') @Matches(/^[a-z0-9._-]{1,100}$/) egressTokenVersion: string = '1';
  @Env('DISPATCHER_URL') @Matches(ORIGIN) dispatcherUrl: string = 'http://127.0.0.1:4413';
  /** Longer than the longest call and its settlement: what a stop cuts off is uncertain. */
  @Env('DRAIN_MS', asInt) @Max(600_000) @Min(0) @IsInt() override drainMs: number = 130_000;
}
