import { join } from 'node:path';
import type { Machine } from '@connector/kernel/machine';
import type { Door, WritePath } from '@connector/kernel/paths';
import type { Table } from '@connector/kernel/table';
import { isTestCode, repository, ROOT, type Source } from './repo';

export interface OwnedPath extends WritePath {
  readonly owner: string;
  readonly name: string;
}
export interface OwnedDoor extends Door {
  readonly owner: string;
}
/** A table, the name under which its module exports it, and the folder of libs/schema that has it. */
export interface OwnedTable {
  readonly owner: string;
  readonly constant: string;
  readonly table: Table;
}
export interface Model {
  readonly paths: readonly OwnedPath[];
  readonly doors: readonly OwnedDoor[];
  readonly tables: readonly OwnedTable[];
}
export interface OwnedMachine {
  readonly owner: string;
  readonly constant: string;
  readonly machine: Machine<string, string>;
}

type Exports = readonly (readonly [string, unknown])[];

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const allOf = (value: unknown, test: (one: unknown) => boolean): value is Record<string, unknown> =>
  isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every(test);

const isPath = (one: unknown): boolean =>
  isRecord(one) && typeof one['code'] === 'string' && typeof one['again'] === 'string' && Array.isArray(one['steps']);
const isDoor = (one: unknown): boolean =>
  isRecord(one) && Array.isArray(one['paths']) && Array.isArray(one['by']) && one['names'] instanceof Set;
const isTable = (one: unknown): boolean =>
  isRecord(one) && typeof one['name'] === 'string' && isRecord(one['columns']) && Array.isArray(one['primary']);
const isMachine = (one: unknown): boolean =>
  isRecord(one) && Array.isArray(one['states']) && isRecord(one['moves']) && typeof one['allows'] === 'function';

/** A module of ours, loaded; what it exports, by name. */
async function exportsOf(file: Source): Promise<Exports> {
  const module: unknown = await import(join(ROOT, file.path));
  return isRecord(module) ? Object.entries(module) : [];
}

async function loaded(under: RegExp): Promise<{ owner: string; constant: string; value: unknown }[]> {
  const found: { owner: string; constant: string; value: unknown }[] = [];
  for (const file of repository()) {
    const owner = under.exec(file.path)?.[1];
    if (owner === undefined || isTestCode(file.path)) continue;
    for (const [constant, value] of await exportsOf(file)) found.push({ owner, constant, value });
  }
  return found;
}

const MODELS = /^libs\/([a-z]+)\/src\/model\/.*\.ts$/;
const SCHEMAS = /^libs\/schema\/src\/([a-z]+)\/[^/]+\.ts$/;

/** The data that the rules follow from, as the code has it now. */
export async function model(): Promise<Model> {
  const paths: OwnedPath[] = [];
  const doors: OwnedDoor[] = [];
  for (const { owner, value } of await loaded(MODELS)) {
    if (allOf(value, isPath)) for (const [name, path] of Object.entries(value)) paths.push({ ...(path as WritePath), owner, name });
    if (allOf(value, isDoor)) for (const door of Object.values(value)) doors.push({ ...(door as Door), owner });
  }
  const tables = (await loaded(SCHEMAS)).flatMap(({ owner, constant, value }) =>
    isTable(value) ? [{ owner, constant, table: value as Table }] : [],
  );
  return { paths, doors, tables };
}

/** Every machine that an owner's model exports. */
export async function machines(): Promise<readonly OwnedMachine[]> {
  const found = await loaded(MODELS);
  return found.flatMap(({ owner, constant, value }) =>
    isMachine(value) ? [{ owner, constant, machine: value as Machine<string, string> }] : [],
  );
}
