import { readdirSync } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import type { Machine } from '@connector/kernel/machine';
import type { Door, WritePath } from '@connector/kernel/paths';
import type { DbRole } from '@connector/kernel/roles';

/** `libs/`, or its transpiled copy: both trees have the same shape. */
const LIBS = resolve(__dirname, '..', '..', '..');
const EXTENSION = extname(__filename);
const OWNERS = ['connector', 'artifacts', 'catalog', 'control', 'packs', 'runtime', 'security'];

/** One exported value with the file that has it, as the repository names it. */
interface Exported {
  readonly file: string;
  readonly name: string;
  readonly value: unknown;
}
export interface ServiceFacts {
  readonly name: string;
  readonly defaultPort: number;
  readonly roles: readonly DbRole[];
  readonly callers: readonly string[];
}
/** What the code says of itself, found by its form and not by a list that somebody would have to keep. */
export interface Facts {
  readonly machines: readonly { readonly file: string; readonly machine: Machine<string, string> }[];
  readonly paths: readonly { readonly file: string; readonly name: string; readonly path: WritePath }[];
  readonly doors: readonly { readonly file: string; readonly door: Door }[];
  readonly services: readonly { readonly file: string; readonly service: ServiceFacts }[];
  readonly limits: readonly { readonly file: string; readonly name: string; readonly value: number }[];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const entriesWith = <T>(value: unknown, is: (one: unknown) => one is T): readonly (readonly [string, T])[] =>
  isRecord(value) ? Object.entries(value).flatMap(([name, one]) => (is(one) ? [[name, one] as const] : [])) : [];

const isMachine = (one: unknown): one is Machine<string, string> =>
  isRecord(one) && Array.isArray(one['states']) && isRecord(one['moves']) && typeof one['allows'] === 'function';
const isPath = (one: unknown): one is WritePath =>
  isRecord(one) && typeof one['code'] === 'string' && typeof one['again'] === 'string' && Array.isArray(one['steps']);
const isDoor = (one: unknown): one is Door =>
  isRecord(one) && Array.isArray(one['paths']) && Array.isArray(one['by']) && one['names'] instanceof Set;
const isService = (one: unknown): one is ServiceFacts =>
  isRecord(one) && typeof one['name'] === 'string' && typeof one['defaultPort'] === 'number' && Array.isArray(one['roles']);

function filesUnder(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return extname(path) === EXTENSION && !/\.(spec|fixture|check)\.[jt]s$|-conformance\.[jt]s$/.test(path) ? [path] : [];
  });
}

async function exportsOf(path: string): Promise<readonly Exported[]> {
  const module: unknown = await import(path);
  const file = `libs/${relative(LIBS, path).split(sep).join('/').replace(/\.js$/, '.ts')}`;
  return isRecord(module) ? Object.entries(module).map(([name, value]) => ({ file, name, value })) : [];
}

async function exportsUnder(...folders: readonly string[]): Promise<readonly Exported[]> {
  const paths = folders.flatMap((folder) => filesUnder(join(LIBS, folder)));
  return (await Promise.all(paths.map(exportsOf))).flat();
}

export async function facts(): Promise<Facts> {
  const models = await exportsUnder(...OWNERS.map((owner) => `${owner}/src/model`));
  const owners = await exportsUnder('kernel/src', ...OWNERS.map((owner) => `${owner}/src`));
  const services = await exportsUnder('services');
  return {
    machines: models.flatMap(({ file, value }) => (isMachine(value) ? [{ file, machine: value }] : [])),
    paths: models.flatMap(({ file, value }) => entriesWith(value, isPath).map(([name, path]) => ({ file, name, path }))),
    doors: models.flatMap(({ file, value }) => entriesWith(value, isDoor).map(([, door]) => ({ file, door }))),
    services: services.flatMap(({ file, value }) => (isService(value) ? [{ file, service: value }] : [])),
    limits: owners.flatMap(({ file, name, value }) => (/_MAX$/.test(name) && typeof value === 'number' ? [{ file, name, value }] : [])),
  };
}
