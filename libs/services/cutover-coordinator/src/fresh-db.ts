import type { DbRole } from '@connector/kernel/roles';
import { Db } from '@connector/platform/db/db';
import { Pool } from '@connector/platform/db/pool';
import { type DatabaseServiceConfig, forRole } from '@connector/platform/host/config';
import { readSecretFile } from '@connector/platform/secrets/secret-file';

/** The main database on a session that nothing was read on before (con:OPEN-44). Whoever asked closes it. */
export async function openFresh(config: DatabaseServiceConfig, role: DbRole): Promise<Db> {
  const password = await readSecretFile(forRole(config.databasePasswordFile, role));
  const pool = new Pool({
    host: config.databaseHost,
    port: config.databasePort,
    database: config.databaseName,
    user: forRole(config.databaseUser, role),
    password: password.toString('utf8').trimEnd(),
    size: 1,
  });
  return new Db({ pool });
}
