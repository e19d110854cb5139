import { Matches } from 'class-validator';
import { DatabaseServiceConfig, Env } from '@connector/platform/host/config';

const ORIGIN = /^https?:\/\/[a-zA-Z0-9.[\]:-]+$/;

export class OperatorConfig extends DatabaseServiceConfig {
  @Env('COORDINATOR_URL') @Matches(ORIGIN) coordinatorUrl: string = 'http://127.0.0.1:4415';
  @Env('CATALOG_URL') @Matches(ORIGIN) catalogUrl: string = 'http://127.0.0.1:4417';
  @Env('CONTROL_URL') @Matches(ORIGIN) controlUrl: string = 'http://127.0.0.1:4416';
  @Env('RUNTIME_URL') @Matches(ORIGIN) runtimeUrl: string = 'http://127.0.0.1:4412';
  @Env('CLAIMANT_URL') @Matches(ORIGIN) claimantUrl: string = 'http://127.0.0.1:4411';
}
