import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** A file of the repository: its path from the root with `/`, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export const ROOT = resolve(__dirname, '..', '..');

const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', '.git', '.nx', '.connector']);
const BINARY = /\.(png|jpg|gif|ico|woff2?|gz|zip|wasm)$|(^|\/)[^/]+\.log$/;

function walk(folder: string, found: Source[]): Source[] {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (NOT_OURS.has(entry.name)) continue;
    if (entry.isDirectory()) walk(path, found);
    else if (entry.isFile() && !BINARY.test(entry.name)) {
      found.push({ path: relative(ROOT, path).split(sep).join('/'), text: readFileSync(path, 'utf8') });
    }
  }
  return found;
}

let held: readonly Source[] | undefined;

/** Every text file that is ours, read once. */
export function repository(): readonly Source[] {
  held ??= walk(ROOT, []).sort((a, b) => (a.path < b.path ? -1 : 1));
  return held;
}

/** A document of ours as a value; `T` is what its reader takes it for. */
export function documentAt<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;
}

export const isSpec = (path: string): boolean => path.endsWith('.spec.ts');
/** Specs, and the suites that every adapter of a port must pass. */
export const isTestCode = (path: string): boolean => /(\.spec|-conformance|\.fixture)\.ts$/.test(path);
export const isCode = (path: string): boolean => /^(apps|libs|tests|tools)\/.*\.(ts|mjs|cjs)$/.test(path);
/** Code that runs in production: no spec, no test library, no fixture of a test. */
export const isProduction = (path: string): boolean =>
  /^(apps|libs)\/.*\.ts$/.test(path) && !isTestCode(path) && !path.startsWith('libs/testing/');

/** The one-time conversion of what was: it alone names and reads what it converts. */
export const isConversion = (path: string): boolean => /(^|\/)[^/]*(conver|legacy|coexist)[^/]*(\/|$)/.test(path);

/** A planted file, for a check to prove itself on. */
export const planted = (path: string, text: string): Source => ({ path, text });
