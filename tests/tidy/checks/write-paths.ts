import { resolveImport } from '../ast';
import type { Model, OwnedDoor, OwnedPath } from '../model';
import { isProduction, type Source } from '../repo';
import { SERVICE_OF } from '../roles';

const TRANSITION = /^libs\/([a-z]+)\/src\/transitions\/(?:.*\/)?([^/]+)\.(step|tx)\.ts$/;

/** Longer than ten statements: they run once in the life of a service, before it serves. */
const ONCE_IN_A_LIFE = new Set(['activate-genesis']);

/** What a door may list; the closed list of those that list more, with how many each (docs/decisions/0016; register-release by decisions 12.10). */
const DOOR_MAX = 20;
export const LONG_DOORS: ReadonlyMap<string, number> = new Map([
  ['admit-and-materialize', 21],
  ['open-publication', 29],
  ['publish', 25],
  ['register-release', 30],
]);

export interface TransitionFile {
  readonly file: Source;
  readonly owner: string;
  readonly name: string;
  readonly kind: 'step' | 'tx';
}

export function transitionFiles(files: readonly Source[]): TransitionFile[] {
  return files.flatMap((file) => {
    const match = TRANSITION.exec(file.path);
    return match ? [{ file, owner: match[1] ?? '', name: match[2] ?? '', kind: match[3] === 'step' ? 'step' : 'tx' }] : [];
  });
}

/** A path that only the door of its own name carries may stand in that door and needs no step. */
function isOwnDoor(path: OwnedPath, doors: readonly OwnedDoor[]): boolean {
  const carriers = doors.filter((door) => door.owner === path.owner && door.paths.includes(path.name));
  return carriers.length === 1 && carriers[0]?.name === path.name;
}

/** One file a path, one file a door, and no file that is neither. An owner without any transition is left alone. */
export function pathsAndFiles({ paths, doors }: Model, files: readonly Source[]): string[] {
  const found = transitionFiles(files);
  const begun = new Set(found.map((one) => one.owner));
  const count = (owner: string, name: string, kind: 'step' | 'tx'): number =>
    found.filter((one) => one.owner === owner && one.name === name && one.kind === kind).length;
  const wrong: string[] = [];
  for (const path of paths.filter((one) => begun.has(one.owner))) {
    const steps = count(path.owner, path.name, 'step');
    const own = isOwnDoor(path, doors) ? count(path.owner, path.name, 'tx') : 0;
    if (steps > 1 || (steps === 0 && own !== 1))
      wrong.push(`path ${path.name} of ${path.owner} has ${steps} ${path.name}.step.ts and no door of its own`);
  }
  for (const door of doors.filter((one) => begun.has(one.owner))) {
    const txs = count(door.owner, door.name, 'tx');
    if (txs !== 1) wrong.push(`door ${door.name} of ${door.owner} has ${txs} ${door.name}.tx.ts, not one`);
  }
  for (const { file, owner, name, kind } of found) {
    const declared = kind === 'step' ? paths : doors;
    if (!declared.some((one) => one.owner === owner && one.name === name))
      wrong.push(`${file.path} is no ${kind === 'step' ? 'path' : 'door'} of ${owner}`);
  }
  return wrong;
}

/** A path is declared once and stands in a door; the statements that every run needs are few (decisions 3.6). */
export function pathsAndDoors({ paths, doors }: Model): string[] {
  const wrong: string[] = [];
  for (const path of paths) {
    if (paths.filter((one) => one.name === path.name).length > 1) wrong.push(`path ${path.name} is declared more than once`);
    if (!doors.some((door) => door.paths.includes(path.name))) wrong.push(`path ${path.name} of ${path.owner} stands in no door`);
    const always = path.steps.filter((step) => !step.endsWith('?')).length;
    if (always > 10 && !ONCE_IN_A_LIFE.has(path.name)) wrong.push(`path ${path.name} always has ${always} statements, at most 10`);
  }
  return wrong;
}

/** A door lists at most twenty statements, those of some runs among them, or exactly as many as its entry says (decisions 3.6). */
export function longDoors({ doors }: Pick<Model, 'doors'>, entries = LONG_DOORS): string[] {
  const wrong = [...entries.keys()].filter((name) => !doors.some((door) => door.name === name)).map((name) => `no door is called ${name}`);
  for (const { name, steps } of doors) {
    const [entry, listed] = [entries.get(name), steps.length];
    if (entry === undefined && listed > DOOR_MAX) wrong.push(`door ${name} lists ${listed} statements, at most ${DOOR_MAX}`);
    if (entry !== undefined && listed <= DOOR_MAX) wrong.push(`door ${name} lists ${listed} statements and needs no entry any more`);
    if (entry !== undefined && listed > DOOR_MAX && listed !== entry)
      wrong.push(`door ${name} lists ${listed} statements, its entry says ${entry}`);
  }
  return wrong;
}

/** The header of a door names the paths that it carries, by name or by code. */
export function headers({ paths, doors }: Model, files: readonly Source[]): string[] {
  return transitionFiles(files).flatMap(({ file, owner, name, kind }) => {
    const door = kind === 'tx' ? doors.find((one) => one.owner === owner && one.name === name) : undefined;
    const header = /^\/\*\*[\s\S]*?\*\//.exec(file.text)?.[0] ?? '';
    const words = new Set(header.split(/[^A-Za-z0-9-]+/));
    return (door?.paths ?? [])
      .filter((path) => !words.has(path) && !words.has(paths.find((one) => one.name === path)?.code ?? path))
      .map((path) => `${file.path}: its header does not name ${path}`);
  });
}

/** A door is opened by the services whose database users it names, and by nobody else. */
export function doorUsers({ doors }: Model, files: readonly Source[]): string[] {
  const byModule = new Map(transitionFiles(files).map((one) => [one.file.path.replace(/\.ts$/, ''), one]));
  const wrong: string[] = [];
  for (const file of files.filter((one) => isProduction(one.path) && /^(libs\/services|apps)\//.test(one.path))) {
    const service = /^(?:libs\/services|apps)\/([^/]+)\//.exec(file.path)?.[1];
    for (const match of file.text.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
      const target = byModule.get(resolveImport(file.path, match[1] ?? '') ?? '');
      if (target === undefined) continue;
      if (target.kind === 'step') wrong.push(`${file.path} runs the step ${target.name} outside its door`);
      const door = doors.find((one) => one.owner === target.owner && one.name === target.name);
      if (door !== undefined && !door.by.some((role) => SERVICE_OF[role] === service))
        wrong.push(`${file.path} opens ${door.name}, which is for ${door.by.join(', ')}`);
    }
  }
  return wrong;
}
