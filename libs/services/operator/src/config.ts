import { Matches } from 'class-validator';
import { DatabaseServiceConfig, Env } from '@connector/platform/host/config';

export class OperatorConfig extends DatabaseServiceConfig {
  @Env('COORDINATOR_URL') @Matches(/^https?:\/\/[a-zA-Z0-9.[\]:-]+$/) coordinatorUrl: string = 'http://127.0.0.1:4415';
}
