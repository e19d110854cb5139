import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DB_ROLES, type DbRole } from '@connector/kernel/roles';
import { type Ask, withConnection } from '@connector/platform/engine/connect';
import type { Login } from '@connector/platform/engine/engine';
import { MigrateConfig } from './config';

/** Two databases and eleven users with names that nobody else has; dropped by `close`. */
export interface Scratch {
  readonly admin: Login;
  readonly config: MigrateConfig;
  readonly login: (role: DbRole) => Login;
  close(): Promise<void>;
}

export async function scratch({ host, port, user, password }: Login): Promise<Scratch> {
  const admin = { host, port, user, password };
  const id = randomBytes(3).toString('hex');
  const dir = await mkdtemp(join(tmpdir(), 'migrate-'));
  const passwordFile = join(dir, '{role}', 'value');
  const passwords = new Map(DB_ROLES.map((role) => [role, randomBytes(18).toString('base64url')]));
  const put = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${text}\n`, { mode: 0o600 });
  };
  for (const [role, text] of passwords) await put(passwordFile.replace('{role}', role), text);
  await put(join(dir, 'admin'), password);
  const config = Object.assign(new MigrateConfig(), {
    ...{ databaseHost: host, databasePort: port, databaseName: `mig_${id}`, journalName: `mig_${id}_j`, secretsDir: dir },
    ...{ databaseUser: `m${id}_{role}`, databasePasswordFile: passwordFile, adminUser: user, adminPasswordFile: join(dir, 'admin') },
  });
  return {
    admin,
    config,
    login: (role) => ({ host, port, user: `m${id}_${role}`, password: passwords.get(role) ?? '' }),
    close: async () => {
      await withConnection(admin, (ask) => drop(ask, config, id));
      await rm(dir, { recursive: true });
    },
  };
}

async function drop(ask: Ask, { databaseName, journalName }: MigrateConfig, id: string): Promise<void> {
  for (const name of [databaseName, journalName]) await ask(`DROP DATABASE IF EXISTS ${name}`);
  for (const role of DB_ROLES) await ask(`DROP USER IF EXISTS 'm${id}_${role}'@'%'`);
}
