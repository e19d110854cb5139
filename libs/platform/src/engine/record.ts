import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writePrivately } from './files';
import { hasArgument, isAlive, type ProcessMark } from './process';

/** What we wrote down about the engine that we started in a data folder. */
export interface EngineRecord {
  readonly kind: string;
  readonly server: ProcessMark;
  /** The argument by which the server was told its data folder. */
  readonly dataArgument: string;
  readonly port: number;
  /** Processes that use it; the last one to leave stops it. */
  readonly users: readonly ProcessMark[];
}

const fileOf = (dataDir: string): string => join(dataDir, 'engine.json');

export async function readRecord(dataDir: string): Promise<EngineRecord | undefined> {
  const text = await readIfThere(fileOf(dataDir));
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : undefined;
}

export function writeRecord(dataDir: string, record: EngineRecord): Promise<void> {
  return writePrivately(fileOf(dataDir), JSON.stringify(record));
}

export function forgetRecord(dataDir: string): Promise<void> {
  return rm(fileOf(dataDir), { force: true });
}

/** Ours only when pid, start time and data folder all match; a stranger that got the pid is left alone. */
export async function isOurServer(record: EngineRecord, dataArgument: string): Promise<boolean> {
  if (record.dataArgument !== dataArgument || !(await isAlive(record.server))) return false;
  return hasArgument(record.server.pid, dataArgument);
}

export async function livingUsers(record: Pick<EngineRecord, 'users'>): Promise<readonly ProcessMark[]> {
  const alive = await Promise.all(record.users.map(isAlive));
  return record.users.filter((_, index) => alive[index]);
}

function isRecord(value: unknown): value is EngineRecord {
  if (!isObject(value) || !isMark(value['server']) || !Array.isArray(value['users'])) return false;
  return (
    typeof value['kind'] === 'string' &&
    typeof value['dataArgument'] === 'string' &&
    typeof value['port'] === 'number' &&
    value['users'].every(isMark)
  );
}

export function isMark(value: unknown): value is ProcessMark {
  return isObject(value) && typeof value['pid'] === 'number' && typeof value['startTime'] === 'string';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
