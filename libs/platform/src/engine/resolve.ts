import { aptGet, installLine, installMariadb } from './debian';
import { type Engine, type EngineOptions, refusal } from './engine';
import { findProgram } from './files';
import { withFolderLock } from './folder-lock';
import { givenEngine } from './given';
import { findMariadb, mariadbServer } from './mariadb';
import { ownEngine } from './own';
import type { Server } from './server';
import { findTidb, tidbServer } from './tidb';

/**
 * The one place that finds a database: `CONNECTOR_DATABASE_URL`, then `tidb-server`, then `mariadbd`, then MariaDB from the distribution's
 * packages. Throws an `InputFault` that names the ways when there is none.
 */
export function resolveEngine(options: EngineOptions): Promise<Engine> {
  const url = options.url ?? options.env['CONNECTOR_DATABASE_URL'] ?? '';
  const given = options.forced === 'url' || (options.forced === undefined && url !== '');
  if (given) return givenEngine(options);
  return withFolderLock(options.dataDir, async () => ownEngine(await findServer(options), options));
}

async function findServer(options: EngineOptions): Promise<Server> {
  const { dataDir, env, forced } = options;
  if (forced !== 'mariadb') {
    const tidb = await findTidb(env);
    if (tidb !== undefined)
      return tidbServer(tidb, env['CONNECTOR_TIDB_SERVER'] ? 'CONNECTOR_TIDB_SERVER' : 'tidb-server on the PATH', dataDir);
    if (forced === 'tidb')
      throw refusal('NoEngine', 'no tidb-server on the PATH. Install TiDB (https://tiup.io), or name the program in CONNECTOR_TIDB_SERVER');
  }
  const mariadb = await findMariadb(env);
  if (mariadb !== undefined) return mariadbServer(mariadb, 'mariadbd of this machine', dataDir);
  const apt = options.mayInstall ? await aptGet(env) : undefined;
  if (apt === undefined) throw refusal('NoEngine', await waysOut(env));
  const installed = await installMariadb(apt, env, options.onProgress ?? (() => undefined));
  return mariadbServer(installed, 'MariaDB installed from the distribution', dataDir);
}

async function waysOut(env: NodeJS.ProcessEnv): Promise<string> {
  const debian = (await findProgram(['apt-get'], env)) !== undefined;
  return [
    'no database found. One of these helps:',
    debian
      ? `  as root:   ${installLine}`
      : '  install MariaDB 10.11 or newer by the packages of this system, so that mariadbd is on the PATH',
    '  or put tidb-server on the PATH, or name it in CONNECTOR_TIDB_SERVER',
    '  or name a running one: CONNECTOR_DATABASE_URL=mysql://user:password@host:3306/database',
  ].join('\n');
}
