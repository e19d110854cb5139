import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bootService } from '@connector/platform/host/boot';
import type { ServiceConfig } from '@connector/platform/host/config';
import { quietProcess } from '@connector/platform/host/process';
import type { RunningService, ServiceDefinition } from '@connector/platform/host/service';
import type { TestSchema } from './database';
import { testDatabase } from './engine';

/** A folder for one test's secrets, in the layout of the development backend. */
export interface TestHome {
  readonly dir: string;
  /** Writes `<path>/<version>/value`, mode 0600. */
  secret(path: string, value: string, version?: string): Promise<void>;
  remove(): Promise<void>;
}

export async function testHome(): Promise<TestHome> {
  const dir = await mkdtemp(join(tmpdir(), 'connector-test-'));
  return {
    dir,
    secret: async (path, value, version = '1') => {
      const file = join(dir, path, version, 'value');
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, value, { mode: 0o600 });
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** What a service is told that runs on a test schema, on a free port. */
export async function settingsOn(schema: TestSchema, home: TestHome): Promise<NodeJS.ProcessEnv> {
  const { host, port, user, password } = await testDatabase();
  const passwordFile = join(home.dir, 'database-password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  return {
    CONNECTOR_PORT: '0',
    CONNECTOR_SECRETS_DIR: home.dir,
    CONNECTOR_DATABASE_HOST: host,
    CONNECTOR_DATABASE_PORT: String(port),
    CONNECTOR_DATABASE_NAME: schema.database,
    CONNECTOR_DATABASE_USER: user,
    CONNECTOR_DATABASE_PASSWORD_FILE: passwordFile,
    CONNECTOR_JOURNAL_NAME: schema.database,
  };
}

/** Boots a real service on a test schema, in this process, on a free port. `env` holds keys with their prefix; `write` gets its log lines. */
export async function bootOn<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
  schema: TestSchema,
  home: TestHome,
  env: NodeJS.ProcessEnv = {},
  write?: (line: string) => void,
): Promise<RunningService> {
  const given = await settingsOn(schema, home);
  return bootService(definition, quietProcess({ ...given, ...env }, undefined, write));
}
