import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { asInt, DatabaseServiceConfig, Env } from '@connector/platform/host/config';

export class CatalogConfig extends DatabaseServiceConfig {
  @Env('RUNTIME_URL') @Matches(/^https?:\/\/[^/]+$/, { message: 'must be an origin' }) runtimeUrl: string = 'http://127.0.0.1:4412';
  /** What the deployment says of itself (`nexuscrm.catalog-platform/v1`); absent: it says nothing, and no App that needs anything installs. */
  @Env('PLATFORM_FILE') @IsOptional() @Matches(/^\//, { message: 'must be an absolute path' }) platformFile?: string | undefined;
  /** How long the controller of publications waits between two looks, ms. */
  @Env('POLL_MS', asInt) @Max(60_000) @Min(10) @IsInt() pollMs: number = 1_000;
}
