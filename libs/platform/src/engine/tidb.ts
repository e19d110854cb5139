import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { answers, withConnection } from './connect';
import { type Login, refusal } from './engine';
import { findProgram, isExecutable, writePrivately } from './files';
import type { Home, Server } from './server';

export const EMBEDDED = 'the embedded TiDB store is for development and tests: no backup, and a crash is not that of a cluster';

/** One region: a commit over several may be torn by kill -9 in the embedded store. */
export const TIDB_CONFIG = 'split-table = false\n';

/** `CONNECTOR_TIDB_SERVER` names a program; what is named and is not there is refused, not passed over. */
export async function findTidb(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = env['CONNECTOR_TIDB_SERVER'];
  if (named === undefined || named === '') return findProgram(['tidb-server'], env);
  if (await isExecutable(named)) return named;
  throw refusal('NoTidbServer', `CONNECTOR_TIDB_SERVER names ${named}, which is no program that can be run`);
}

/** TiDB with its embedded store, in a folder of its own, on loopback. */
export function tidbServer(program: string, source: string, dataDir: string): Server {
  const home = join(dataDir, 'tidb');
  return {
    kind: 'tidb',
    title: 'TiDB',
    program,
    source,
    warnings: [EMBEDDED],
    dataArgument: `--path=${join(home, 'data')}`,
    prepare: () => prepare(home),
    argumentsFor: (_, port) => tidbArguments(home, port),
    settle,
    firstLogin: (_, login) => firstLogin(login),
  };
}

/** Boolean flags need the `=` form. */
export function tidbArguments(home: string, port: number, host = '127.0.0.1'): readonly string[] {
  return [
    '--store=unistore',
    `--host=${host}`,
    '-P',
    String(port),
    '--report-status=false',
    `--path=${join(home, 'data')}`,
    `--temp-dir=${join(home, 'temp')}`,
    '--socket=',
    `--config=${configFile(home)}`,
    '-L',
    'error',
  ];
}

export const configFile = (home: string): string => join(home, 'tidb.toml');

async function prepare(home: string): Promise<void> {
  for (const folder of ['data', 'temp']) await mkdir(join(home, folder), { recursive: true, mode: 0o700 });
  await writePrivately(configFile(home), TIDB_CONFIG);
}

export const firstLogin = async (login: Login): Promise<boolean> => (await answers(login)) || answers({ ...login, password: '' });

/** A fresh store has an administrator without a password and drops CHECKs; both are set once and kept by the store. */
export async function settle(home: Home, login: Login): Promise<void> {
  if (await answers(login)) return;
  await withConnection({ ...login, password: '' }, async (ask) => {
    await ask('SET GLOBAL tidb_enable_check_constraint = ON');
    // Last: with the password set, the next start takes the rest for done.
    await ask(`ALTER USER 'root'@'%' IDENTIFIED BY '${home.password}'`);
  });
}
