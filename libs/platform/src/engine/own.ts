import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { breakdown, defaultDatabases, defaultPort, type Engine, type EngineOptions, journalBeside, type Login, refusal } from './engine';
import { readIfThere } from './files';
import { withFolderLock } from './folder-lock';
import { freePort } from './free-port';
import { probe } from './probe';
import { endProcess, isAlive, markOf, type ProcessMark } from './process';
import { type EngineRecord, forgetRecord, isOurServer, livingUsers, readRecord, writeRecord } from './record';
import { type Home, openHome, type Server } from './server';

const ANSWER_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
const STARTS = 3;
const TAIL = 2_000;

/** An engine of our own in `dataDir`: joined or taken over when it runs, started when not. Call under the folder's lock. */
export async function ownEngine(server: Server, options: EngineOptions): Promise<Engine> {
  const home = await openHome(options);
  try {
    const record = (await joinRunning(server, home)) ?? (await start(server, home, options.portNear ?? defaultPort));
    return await describe(server, home, record);
  } catch (error) {
    // What cannot be used is not left running behind the refusal.
    await leave(server, home);
    throw error;
  }
}

async function describe(server: Server, home: Home, record: EngineRecord): Promise<Engine> {
  const login = loginOf(home, record.port);
  await server.settle(home, login);
  const probed = await probe(login);
  return {
    ...login,
    ...probed,
    source: server.source,
    mainDatabase: defaultDatabases.main,
    journalDatabase: defaultDatabases.journal,
    warnings: [...probed.warnings, ...server.warnings, journalBeside],
    pid: record.server.pid,
    stop: () => withFolderLock(home.dataDir, () => leave(server, home)),
  };
}

const loginOf = (home: Home, port: number): Login => ({ host: '127.0.0.1', port, user: 'root', password: home.password });

/** A server of ours that still runs: its starter was killed, or another process uses it beside us. */
async function joinRunning(server: Server, home: Home): Promise<EngineRecord | undefined> {
  const record = await readRecord(home.dataDir);
  if (record === undefined || !(await isOurServer(record, record.dataArgument))) return undefined;
  if (record.dataArgument !== server.dataArgument) return clearWay(record, home);
  const users = await livingUsers(record);
  home.say(users.length > 0 ? `${server.title} runs already: joining it` : `${server.title} was left running: taking it over`);
  const joined = { ...record, users: [...users, await markOf(process.pid)] };
  await writeRecord(home.dataDir, joined);
  const up = await untilItAnswers(server, home, joined.server, joined.port);
  return up.kind === 'answers' ? joined : undefined;
}

/** The folder's other engine was left behind: stopped when nobody uses it. */
async function clearWay(record: EngineRecord, home: Home): Promise<undefined> {
  const users = await livingUsers(record);
  if (users.length > 0) {
    throw refusal(
      'OtherEngineRuns',
      `${record.kind} of this folder is in use by process ${users.map(({ pid }) => pid).join(', ')}; end that first`,
    );
  }
  await endProcess(record.server);
  await forgetRecord(home.dataDir);
  return undefined;
}

async function start(server: Server, home: Home, portNear: number): Promise<EngineRecord> {
  await server.prepare(home);
  for (let tries = 1; ; tries += 1) {
    const port = await freePort(portNear);
    home.say(`starting ${server.title} on 127.0.0.1:${port}`);
    const record = await launch(server, home, port);
    const up = await untilItAnswers(server, home, record.server, port);
    if (up.kind === 'answers') return record;
    await forgetRecord(home.dataDir);
    // Somebody took the port between our look and the server's.
    const portTaken = /address already in use/i.test(up.log);
    if (!portTaken || tries === STARTS) throw breakdown('EngineEnded', `${server.program} ended while starting; its log says:\n${up.log}`);
  }
}

/** In a process group of its own: Ctrl-C reaches us, and we stop the engine last. */
async function launch(server: Server, home: Home, port: number): Promise<EngineRecord> {
  const file = logFile(home);
  await rm(file, { force: true });
  const log = openSync(file, 'a', 0o600);
  const child = spawn(server.program, server.argumentsFor(home, port), { detached: true, stdio: ['ignore', log, log], env: home.env });
  closeSync(log);
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  child.unref();
  const mark = await markOf(child.pid ?? 0);
  const record = { kind: server.kind, server: mark, dataArgument: server.dataArgument, port, users: [await markOf(process.pid)] };
  await writeRecord(home.dataDir, record);
  return record;
}

const logFile = (home: Home): string => join(home.dataDir, 'engine.log');

type Up = { readonly kind: 'answers' } | { readonly kind: 'ended'; readonly log: string };

async function untilItAnswers(server: Server, home: Home, mark: ProcessMark, port: number): Promise<Up> {
  const login = loginOf(home, port);
  for (let waited = 0; waited < ANSWER_WITHIN_MS; waited += LOOK_EVERY_MS) {
    if (await server.firstLogin(home, login)) return { kind: 'answers' };
    if (!(await isAlive(mark))) return { kind: 'ended', log: await tailOf(home) };
    await pause(LOOK_EVERY_MS);
  }
  throw breakdown(
    'EngineSilent',
    `${server.program} runs as process ${mark.pid} and does not answer us on port ${port}; its log says:\n${await tailOf(home)}`,
  );
}

async function tailOf(home: Home): Promise<string> {
  return ((await readIfThere(logFile(home))) ?? '').slice(-TAIL);
}

/** The last one to leave stops the server. */
async function leave(server: Server, home: Home): Promise<void> {
  const record = await readRecord(home.dataDir);
  if (record === undefined || !(await isOurServer(record, server.dataArgument))) return;
  const users = await livingUsers(record);
  const mine = users.findIndex(({ pid }) => pid === process.pid);
  const others = users.filter((_, index) => index !== mine);
  if (others.length > 0) return writeRecord(home.dataDir, { ...record, users: others });
  await endProcess(record.server);
  await forgetRecord(home.dataDir);
}
