import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { breakdown, refusal } from './engine';
import { readIfThere } from './files';
import { freePort } from './free-port';
import { endProcess, isAlive, markOf, type ProcessMark } from './process';
import { type EngineRecord, forgetRecord, isOurServer, livingUsers, readRecord, writeRecord } from './record';

const ANSWER_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
const STARTS = 3;
const TAIL = 2_000;

/** A server that we know how to start in a folder of its own, on loopback. */
export interface OwnProgram {
  readonly kind: string;
  readonly title: string;
  readonly program: string;
  /** Its record and its log stand here; one server a folder. */
  readonly dataDir: string;
  /** The argument that names the data folder: by it a running server is known as ours. */
  readonly dataArgument: string;
  readonly say: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Makes the data folder where there is none; safe to repeat after being killed at any point. */
  prepare(): Promise<void>;
  argumentsFor(port: number): Promise<readonly string[]>;
  answers(port: number): Promise<boolean>;
}

/** Joined or taken over when it runs, started when not. Call under the folder's lock. */
export async function joinOrStart(own: OwnProgram, portNear: number): Promise<EngineRecord> {
  return (await joinRunning(own)) ?? (await start(own, portNear));
}

/** A server of ours that still runs: its starter was killed, or another process uses it beside us. */
async function joinRunning(own: OwnProgram): Promise<EngineRecord | undefined> {
  const record = await readRecord(own.dataDir);
  if (record === undefined || !(await isOurServer(record, record.dataArgument))) return undefined;
  if (record.dataArgument !== own.dataArgument) return clearWay(record, own);
  const users = await livingUsers(record);
  own.say(users.length > 0 ? `${own.title} runs already: joining it` : `${own.title} was left running: taking it over`);
  const joined = { ...record, users: [...users, await markOf(process.pid)] };
  await writeRecord(own.dataDir, joined);
  const up = await untilItAnswers(own, joined.server, joined.port);
  return up.kind === 'answers' ? joined : undefined;
}

/** The folder's other server was left behind: stopped when nobody uses it. */
async function clearWay(record: EngineRecord, own: OwnProgram): Promise<undefined> {
  const users = await livingUsers(record);
  if (users.length > 0) {
    throw refusal(
      'OtherEngineRuns',
      `${record.kind} of this folder is in use by process ${users.map(({ pid }) => pid).join(', ')}; end that first`,
    );
  }
  await endProcess(record.server);
  await forgetRecord(own.dataDir);
  return undefined;
}

async function start(own: OwnProgram, portNear: number): Promise<EngineRecord> {
  await own.prepare();
  for (let tries = 1; ; tries += 1) {
    const port = await freePort(portNear);
    own.say(`starting ${own.title} on 127.0.0.1:${port}`);
    const record = await launch(own, port);
    const up = await untilItAnswers(own, record.server, port);
    if (up.kind === 'answers') return record;
    await forgetRecord(own.dataDir);
    // Somebody took the port between our look and the server's.
    const portTaken = /address already in use/i.test(up.log);
    if (!portTaken || tries === STARTS) throw breakdown('EngineEnded', `${own.program} ended while starting; its log says:\n${up.log}`);
  }
}

/** In a process group of its own: Ctrl-C reaches us, and we stop the server last. */
async function launch(own: OwnProgram, port: number): Promise<EngineRecord> {
  const file = logFile(own);
  await rm(file, { force: true });
  const log = openSync(file, 'a', 0o600);
  const child = spawn(own.program, await own.argumentsFor(port), { detached: true, stdio: ['ignore', log, log], env: own.env });
  closeSync(log);
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  child.unref();
  const mark = await markOf(child.pid ?? 0);
  const record = { kind: own.kind, server: mark, dataArgument: own.dataArgument, port, users: [await markOf(process.pid)] };
  await writeRecord(own.dataDir, record);
  return record;
}

const logFile = ({ dataDir }: OwnProgram): string => join(dataDir, 'engine.log');

type Up = { readonly kind: 'answers' } | { readonly kind: 'ended'; readonly log: string };

async function untilItAnswers(own: OwnProgram, mark: ProcessMark, port: number): Promise<Up> {
  for (const until = performance.now() + ANSWER_WITHIN_MS; performance.now() < until;) {
    if (await own.answers(port)) return { kind: 'answers' };
    if (!(await isAlive(mark))) return { kind: 'ended', log: await tailOf(own) };
    await pause(LOOK_EVERY_MS);
  }
  throw breakdown(
    'EngineSilent',
    `${own.program} runs as process ${mark.pid} and does not answer us on port ${port}; its log says:\n${await tailOf(own)}`,
  );
}

async function tailOf(own: OwnProgram): Promise<string> {
  return ((await readIfThere(logFile(own))) ?? '').slice(-TAIL);
}

/** The last one to leave stops the server. Call under the folder's lock. */
export async function leave({ dataDir, dataArgument }: OwnProgram): Promise<void> {
  const record = await readRecord(dataDir);
  if (record === undefined || !(await isOurServer(record, dataArgument))) return;
  const users = await livingUsers(record);
  const mine = users.findIndex(({ pid }) => pid === process.pid);
  const others = users.filter((_, index) => index !== mine);
  if (others.length > 0) return writeRecord(dataDir, { ...record, users: others });
  await endProcess(record.server);
  await forgetRecord(dataDir);
}
