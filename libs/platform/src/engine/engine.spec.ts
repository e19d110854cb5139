import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptGet, installMariadb } from './debian';
import { engineChoice } from './engine';
import { withFolderLock } from './folder-lock';
import { freePort } from './free-port';
import { parseUrl } from './given';
import { kindOf, mayManageUsers, numbersOf } from './probe';
import { resolveEngine } from './resolve';
import { tidbArguments } from './tidb';

describe('engine words', () => {
  it.each([
    ['8.0.11-TiDB-v8.5.4', 'tidb', [8, 5, 4]],
    ['10.11.19-MariaDB-0+deb12u1', 'mariadb', [10, 11, 19]],
    ['5.5.5-10.6.4-MariaDB', 'mariadb', [10, 6, 4]],
    ['8.4.3', 'mysql', [8, 4, 3]],
  ])('%s is known as %s', (version, kind, numbers) => {
    expect(kindOf(version)).toBe(kind);
    expect(numbersOf(kindOf(version), version)).toEqual(numbers);
  });

  it('refused: a word that names no engine is no choice', () => {
    expect(engineChoice('mariadb')).toBe('mariadb');
    expect(engineChoice('oracle')).toBeUndefined();
  });

  it('grants: creating users and handing rights on are both needed, server-wide', () => {
    expect(mayManageUsers(["GRANT ALL PRIVILEGES ON *.* TO 'root'@'localhost' WITH GRANT OPTION"])).toBe(true);
    expect(mayManageUsers(["GRANT ALL PRIVILEGES ON *.* TO 'a'@'%'"])).toBe(false);
    expect(mayManageUsers(["GRANT USAGE ON *.* TO 'a'@'%'", "GRANT ALL PRIVILEGES ON `x`.* TO 'a'@'%' WITH GRANT OPTION"])).toBe(false);
  });

  it('tidb: boolean flags are written with =, and nothing is shared with another server', () => {
    const args = tidbArguments('/home/t', 4123);
    expect(args).toContain('--report-status=false');
    expect(args).toEqual(
      expect.arrayContaining(['--path=/home/t/data', '--temp-dir=/home/t/temp', '--socket=', '--config=/home/t/tidb.toml']),
    );
  });
});

describe('a given address', () => {
  it('is read with its escapes and its defaults', () => {
    expect(parseUrl('mysql://a%40b:p%2Fw@db.test/shop', 'X')).toEqual({
      login: { host: 'db.test', port: 3306, user: 'a@b', password: 'p/w' },
      database: 'shop',
    });
    expect(parseUrl('mysql://u@[::1]:33', 'X')).toMatchObject({ login: { host: '::1', port: 33, password: '' }, database: undefined });
  });

  it.each(['', 'secret', 'postgres://u:secret@h/d', 'mysql://u:secret@h/d?ssl=1'])(
    'UrlUnreadable or UrlMissing: %j is refused, and its password is not printed',
    (text) => {
      expect(() => parseUrl(text, 'X')).toThrow(/CONNECTOR_DATABASE_URL=/);
      expect(() => parseUrl(text, 'X')).not.toThrow(/secret/);
    },
  );

  it('JournalElsewhere: a journal on another server is refused rather than left out', async () => {
    const options = {
      dataDir: '/nowhere',
      url: 'mysql://u@127.0.0.1:1/a',
      journalUrl: 'mysql://u@127.0.0.1:2/b',
      env: {},
      mayInstall: false,
    };
    await expect(resolveEngine(options)).rejects.toMatchObject({ code: 'HOUSE:engine:JournalElsewhere' });
  });
});

describe('on this machine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'engine-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const program = async (name: string, script: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return file;
  };

  it('freePort: a port that somebody listens on is passed over', async () => {
    const near = await freePort(45_000);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(near, '127.0.0.1', resolve));
    expect(await freePort(near)).toBeGreaterThan(near);
    server.close();
  });

  it('one at a time: eight that want the folder go one after another', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withFolderLock(folder, work)));
    expect(most).toBe(1);
  });

  it('abandoned: the lock of a holder that was killed does not stand in the way', async () => {
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: process.pid, startTime: '1' }));
    expect(await withFolderLock(folder, () => Promise.resolve('in'))).toBe('in');
  });

  it('apt-get: the index is refreshed before the packages are asked for', async () => {
    const apt = await program('apt-get', `echo "$*" >> ${join(folder, 'calls')}`);
    await program('mariadbd', 'exit 0');
    const env = { PATH: `${folder}:/bin:/usr/bin` };
    const lines: string[] = [];
    expect(await installMariadb([apt], env, (line) => lines.push(line))).toBe(join(folder, 'mariadbd'));
    expect((await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')).toEqual([
      'update',
      'install -y --no-install-recommends mariadb-server-core mariadb-client-core',
    ]);
  });

  it('CommandFailed: a failing apt-get is told with what it printed', async () => {
    const apt = await program('apt-get', 'echo "E: no such index"; exit 100');
    await expect(installMariadb([apt], { PATH: folder }, () => undefined)).rejects.toThrow(/ended with 100:\nE: no such index/);
  });

  it('no apt-get: nothing is installed where there is none', async () => {
    expect(await aptGet({ PATH: folder })).toBeUndefined();
  });

  it('NoTidbServer: a named program that is not there is refused, not passed over', async () => {
    const options = { dataDir: folder, env: { PATH: folder, CONNECTOR_TIDB_SERVER: join(folder, 'absent') }, mayInstall: false };
    await expect(resolveEngine(options)).rejects.toMatchObject({ code: 'HOUSE:engine:NoTidbServer' });
  });
});
