import { aptGet, installLine, installMariadb } from './debian';
import { containerStep, forcedContainer } from './container-step';
import { type Engine, type EngineOptions, refusal } from './engine';
import { findProgram } from './files';
import { withFolderLock } from './folder-lock';
import { givenEngine } from './given';
import { findMariadb, mariadbServer } from './mariadb';
import { ownEngine } from './own';
import type { Server } from './server';
import { findTidb, tidbServer } from './tidb';
import { TIDB_IMAGE } from './tidb-container';

/**
 * The one place that finds a database: `CONNECTOR_DATABASE_URL`, then `tidb-server`, then `mariadbd`, then TiDB in a container where an engine
 * for one answers, then MariaDB from the distribution's packages. Throws an `InputFault` that names the ways when there is none.
 */
export function resolveEngine(options: EngineOptions): Promise<Engine> {
  const url = options.url ?? options.env['CONNECTOR_DATABASE_URL'] ?? '';
  const given = options.forced === 'url' || (options.forced === undefined && url !== '');
  if (given) return givenEngine(options);
  return withFolderLock(options.dataDir, () => engineOfThisMachine(options));
}

async function engineOfThisMachine(options: EngineOptions): Promise<Engine> {
  if (options.forced === 'container') return forcedContainer(options);
  const server = await serverHere(options);
  if (server !== undefined) return ownEngine(server, options);
  const inContainer = options.forced === undefined ? await containerStep(options) : undefined;
  return inContainer ?? ownEngine(await installed(options), options);
}

async function serverHere({ dataDir, env, forced }: EngineOptions): Promise<Server | undefined> {
  if (forced !== 'mariadb') {
    const tidb = await findTidb(env);
    if (tidb !== undefined)
      return tidbServer(tidb, env['CONNECTOR_TIDB_SERVER'] ? 'CONNECTOR_TIDB_SERVER' : 'tidb-server on the PATH', dataDir);
    if (forced === 'tidb')
      throw refusal('NoEngine', 'no tidb-server on the PATH. Install TiDB (https://tiup.io), or name the program in CONNECTOR_TIDB_SERVER');
  }
  const mariadb = await findMariadb(env);
  return mariadb === undefined ? undefined : mariadbServer(mariadb, 'mariadbd of this machine', dataDir);
}

async function installed({ dataDir, env, mayInstall, onProgress = () => undefined }: EngineOptions): Promise<Server> {
  const apt = mayInstall ? await aptGet(env) : undefined;
  if (apt === undefined) throw refusal('NoEngine', await waysOut(env));
  return mariadbServer(await installMariadb(apt, env, onProgress), 'MariaDB installed from the distribution', dataDir);
}

async function waysOut(env: NodeJS.ProcessEnv): Promise<string> {
  const debian = (await findProgram(['apt-get'], env)) !== undefined;
  return [
    'no database found. One of these helps:',
    debian
      ? `  as root:   ${installLine}`
      : '  install MariaDB 10.11 or newer by the packages of this system, so that mariadbd is on the PATH',
    '  or put tidb-server on the PATH, or name it in CONNECTOR_TIDB_SERVER',
    `  or start a container engine: TiDB is then run from ${TIDB_IMAGE.name}`,
    '  or name a running one: CONNECTOR_DATABASE_URL=mysql://user:password@host:3306/database',
  ].join('\n');
}
