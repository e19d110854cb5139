import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answers, withConnection } from './connect';
import { type Login, refusal } from './engine';
import { findProgram, readIfThere, writePrivately } from './files';
import { run } from './run';
import type { Home, Server } from './server';

const INSTALL_WITHIN_MS = 120_000;

export const findMariadb = (env: NodeJS.ProcessEnv): Promise<string | undefined> => findProgram(['mariadbd'], env);

/** MariaDB in a folder of its own, on loopback, with its durable settings left at their defaults. */
export function mariadbServer(program: string, source: string, dataDir: string): Server {
  const data = join(dataDir, 'mariadb');
  return {
    kind: 'mariadb',
    title: 'MariaDB',
    program,
    source,
    warnings: [],
    dataArgument: `--datadir=${data}`,
    prepare: (home) => prepare(home, data),
    argumentsFor: (home, port) => [
      ...mariadbArguments(data, port),
      `--init-file=${initFile(home.dataDir)}`,
      `--tmpdir=${temporary(home.dataDir)}`,
      ...asRoot(),
    ],
    settle,
    firstLogin: (_, login) => answers(login),
  };
}

export function mariadbArguments(data: string, port: number): readonly string[] {
  return [
    '--no-defaults',
    `--datadir=${data}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    // Relative to the data folder: the full path of a deep checkout is longer than a socket's name may be.
    '--socket=s.sock',
    `--pid-file=${join(data, 'pid')}`,
    '--transaction-isolation=READ-COMMITTED',
    '--innodb-buffer-pool-size=256M',
    '--max-connections=500',
  ];
}

/** It refuses to run as root unless told to. */
function asRoot(): readonly string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

const initFile = (dataDir: string): string => join(dataDir, 'init.sql');

/** Its own: every server that starts deletes the temporary tables that it finds in its folder, be they of another server that runs. */
const temporary = (dataDir: string): string => join(dataDir, 'tmp');

/** A test run lets commits be quicker than the disk; one that was killed has not put that back. */
async function settle(home: Home, login: Login): Promise<void> {
  await rm(initFile(home.dataDir), { force: true });
  await withConnection(login, (ask) => ask('SET GLOBAL innodb_flush_log_at_trx_commit = 1'));
}

async function prepare(home: Home, data: string): Promise<void> {
  if ((await readIfThere(join(data, 'ibdata1'))) === undefined) await makeData(home, data);
  await mkdir(temporary(home.dataDir), { recursive: true, mode: 0o700 });
  await writePrivately(initFile(home.dataDir), lockOthersOut(home.password));
}

/** Made beside and renamed: a folder of the right name is a whole one, whenever we were killed. */
async function makeData(home: Home, data: string): Promise<void> {
  const installer = await findProgram(['mariadb-install-db', 'mysql_install_db'], home.env);
  if (installer === undefined)
    throw refusal('NoInstaller', 'mariadbd is here but mariadb-install-db is not; install the whole package mariadb-server-core');
  home.say('making a data folder for MariaDB');
  const draft = `${data}.${randomUUID()}`;
  await mkdir(draft, { mode: 0o700 });
  const fixed = ['--no-defaults', '--force', '--skip-name-resolve', '--auth-root-authentication-method=normal', '--skip-test-db'];
  await run(installer, [...fixed, `--datadir=${draft}`, ...asRoot()], { withinMs: INSTALL_WITHIN_MS, env: home.env });
  await chmod(draft, 0o700);
  await rename(draft, data);
}

/**
 * Run by the server before it opens its port, at every start: a fresh data folder has administrators without a password, and no moment may
 * exist in which another user of this machine gets in.
 */
function lockOthersOut(password: string): string {
  return [
    `DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host NOT IN ('localhost', '127.0.0.1'));`,
    'FLUSH PRIVILEGES;',
    `CREATE USER IF NOT EXISTS 'root'@'127.0.0.1';`,
    `GRANT ALL PRIVILEGES ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;`,
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${password}', 'root'@'127.0.0.1' IDENTIFIED BY '${password}';`,
    '',
  ].join('\n');
}
