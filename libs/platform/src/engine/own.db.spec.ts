import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, withConnection } from './connect';
import type { Engine, EngineOptions } from './engine';
import { isAlive, markOf } from './process';
import { readRecord, writeRecord } from './record';
import { resolveEngine } from './resolve';

/** A process that is none of ours to end. */
const stranger = () => spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });

describe('own engine [needs mariadbd]', () => {
  let dataDir: string;
  const open = (more: Partial<EngineOptions> = {}): Promise<Engine> =>
    resolveEngine({ dataDir, forced: 'mariadb', portNear: 44_400, env: process.env, mayInstall: false, ...more });

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'engine-'));
  });

  afterEach(async () => {
    // Whatever a failed test left running is taken over and stopped.
    if ((await readRecord(dataDir)) !== undefined) await (await open()).stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('started: a second start finds the data of the first, under the same password', async () => {
    const first = await open();
    await withConnection(first, async (ask) => {
      await ask('CREATE DATABASE kept');
      await ask('CREATE TABLE kept.fact (n INT PRIMARY KEY)');
      await ask('INSERT INTO kept.fact VALUES (7)');
    });
    await first.stop();
    expect(await answers(first)).toBe(false);

    const second = await open();
    expect(await withConnection(second, (ask) => ask('SELECT n FROM kept.fact'))).toEqual([['7']]);
    expect(second).toMatchObject({ kind: 'mariadb', password: first.password, grantsEnforced: true, host: '127.0.0.1' });
    await second.stop();
  });

  it('closed to others: nobody enters without the password, and files are for this user only', async () => {
    const engine = await open();
    for (const host of ['127.0.0.1', 'localhost']) expect(await answers({ ...engine, host, password: '' })).toBe(false);
    expect(await answers({ ...engine, user: 'nobody', password: '' })).toBe(false);
    const roots = await withConnection(engine, (ask) => ask("SELECT Host FROM mysql.global_priv WHERE User IN ('root', '') ORDER BY Host"));
    expect(roots).toEqual([['127.0.0.1'], ['localhost']]);
    const modes = await Promise.all(
      ['', 'mariadb', 'root-password', 'engine.json'].map(async (name) => (await stat(join(dataDir, name))).mode & 0o077),
    );
    expect(modes).toEqual([0, 0, 0, 0]);
    await engine.stop();
  });

  it('taken over: a server whose starter is gone is joined again, not started beside itself, with durable commits', async () => {
    const engine = await open();
    await withConnection(engine, (ask) => ask('SET GLOBAL innodb_flush_log_at_trx_commit = 2'));
    const record = await readRecord(dataDir);
    if (record === undefined) throw new Error('no record was written');
    await writeRecord(dataDir, { ...record, users: [{ pid: process.pid, startTime: '1' }] });

    const lines: string[] = [];
    const again = await open({ onProgress: (line) => lines.push(line) });
    expect(again).toMatchObject({ pid: engine.pid, port: engine.port });
    expect(lines).toEqual(['MariaDB was left running: taking it over']);
    expect(await withConnection(again, (ask) => ask('SELECT @@global.innodb_flush_log_at_trx_commit'))).toEqual([['1']]);
    await again.stop();
    expect(await answers(engine)).toBe(false);
  });

  it('shared: the first to leave does not stop the server under the second', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    expect(one.pid).toBe(two.pid);
    await one.stop();
    expect(await answers(two)).toBe(true);
    await two.stop();
    expect(await answers(two)).toBe(false);
    await two.stop();
  });

  it('left alone: a stranger that got the recorded pid is not ended', async () => {
    const engine = await open();
    await engine.stop();
    const other = stranger();
    const mark = await markOf(other.pid ?? 0);
    const dataArgument = `--datadir=${join(dataDir, 'mariadb')}`;
    await writeRecord(dataDir, { kind: 'mariadb', server: mark, dataArgument, port: engine.port, users: [] });

    const again = await open();
    expect(again.pid).not.toBe(mark.pid);
    await again.stop();
    expect(await isAlive(mark)).toBe(true);
    other.kill();
  });

  it('EngineEnded: a server that cannot start is refused with what its log says', async () => {
    await (await open()).stop();
    await writeFile(join(dataDir, 'mariadb', 'ibdata1'), 'not a tablespace');
    await expect(open()).rejects.toThrow(/ended while starting; its log says:\n[^]*InnoDB/);
    expect(await readRecord(dataDir)).toBeUndefined();
  });

  it('url: a given database is taken as it is, and stop leaves it running', async () => {
    const engine = await open();
    const url = `mysql://root:${engine.password}@127.0.0.1:${engine.port}/shop`;
    const given = await resolveEngine({ dataDir, url, env: {}, mayInstall: false });
    expect(given).toMatchObject({
      kind: 'mariadb',
      source: 'CONNECTOR_DATABASE_URL',
      mainDatabase: 'shop',
      journalDatabase: 'shop_journal',
    });
    expect(given.warnings).toContain('the journal lives on the same server as the main schema: one restore rewinds both');
    await given.stop();
    expect(await answers(engine)).toBe(true);
    await engine.stop();
  });

  it('EngineSettings: a given database without durable commits is refused with the statement that sets it, and stays as it is', async () => {
    const engine = await open();
    await withConnection(engine, (ask) => ask('SET GLOBAL innodb_flush_log_at_trx_commit = 2'));
    const url = `mysql://root:${engine.password}@127.0.0.1:${engine.port}/shop`;
    await expect(resolveEngine({ dataDir, url, env: {}, mayInstall: false })).rejects.toThrow(
      /SET GLOBAL innodb_flush_log_at_trx_commit = 1;/,
    );
    expect(await withConnection(engine, (ask) => ask('SELECT @@global.innodb_flush_log_at_trx_commit'))).toEqual([['2']]);
    await engine.stop();
  });

  it('grants not enforced: a given user who may not create users is told so', async () => {
    const engine = await open();
    await withConnection(engine, async (ask) => {
      await ask(`CREATE USER 'plain'@'localhost' IDENTIFIED BY 'p%40ss'`);
      await ask(`GRANT ALL PRIVILEGES ON shop.* TO 'plain'@'localhost'`);
    });
    const given = await resolveEngine({ dataDir, url: `mysql://plain:p%2540ss@127.0.0.1:${engine.port}/shop`, env: {}, mayInstall: false });
    expect(given.grantsEnforced).toBe(false);
    expect(given.warnings.join()).toMatch(/one user serves all services/);
    await engine.stop();
  });

  it('private: the password stands in no log of the engine', async () => {
    const engine = await open();
    await engine.stop();
    expect(await readFile(join(dataDir, 'engine.log'), 'utf8')).not.toContain(engine.password);
  });
});
