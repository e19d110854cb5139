import { IsString, Matches, MinLength } from 'class-validator';
import { DatabaseServiceConfig, Env } from '@connector/platform/host/config';

/** What the migrator is told beside what every service is told of the database: who may make databases, tables and users. */
export class MigrateConfig extends DatabaseServiceConfig {
  @Env('ADMIN_USER') @IsString() @MinLength(1) adminUser!: string;
  @Env('ADMIN_PASSWORD_FILE') @Matches(/^\//, { message: 'must be an absolute path' }) adminPasswordFile!: string;
}
