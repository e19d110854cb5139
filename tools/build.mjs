#!/usr/bin/env node
/** Transpiles apps/ and libs/ into dist/, the same tree, in one process. Types are checked by `npm run verify`, not here. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isProgram, main, Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const dist = join(root, 'dist');
const stampFile = join(dist, '.stamp');
const ROOTS = ['apps', 'libs'];
const NOT_FOR_RUNNING = /\.spec\.ts$|\.d\.ts$|(^|\/)(project|tsconfig[^/]*|package)\.json$/;

/** Builds what is stale under `roots`; returns how many files were written. */
export async function build(roots = ROOTS) {
  const settings = readSettings();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') !== settings.stamp) rmSync(dist, { recursive: true });
  const sources = roots.flatMap((folder) => sourcesUnder(folder));
  removeOrphans(roots, new Set(sources.map(({ output }) => output)));
  const stale = sources.filter(isStale);
  const failures = [];
  if (stale.length > 0) {
    const transpile = transpiler(settings);
    await Promise.all(stale.map((source) => make(source, transpile).catch((error) => failures.push(`${source.file}: ${error.message}`))));
  }
  if (failures.length > 0) throw new Refusal(`${failures.join('\n')}\n${failures.length} files do not compile.`);
  mkdirSync(dist, { recursive: true });
  writeFileSync(stampFile, settings.stamp);
  return stale.length;
}

/** What every output depends on beside its own source: another stamp makes everything anew. */
function readSettings() {
  const parts = ['.swcrc', 'tsconfig.base.json', 'tools/build.mjs', 'node_modules/@swc/core/package.json'].map((name) =>
    readFileSync(join(root, name), 'utf8'),
  );
  const swc = JSON.parse(parts[0]);
  delete swc.$schema;
  const { paths } = JSON.parse(parts[1]).compilerOptions;
  const prefixes = Object.entries(paths).map(([from, [to]]) => [from.replace(/\*$/, ''), to.replace(/^\.\//, '').replace(/\*$/, '')]);
  return { swc, prefixes, stamp: createHash('sha256').update(parts.join('\0')).digest('hex') };
}

function sourcesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesUnder(file);
    if (!/\.(ts|json)$/.test(file) || NOT_FOR_RUNNING.test(file)) return [];
    return [{ file, output: file.replace(/\.ts$/, '.js') }];
  });
}

/** An output carries the time of its source, so an older source put in place of a newer one is noticed too. */
function isStale({ file, output }) {
  const made = statSync(join(dist, output), { throwIfNoEntry: false });
  return made === undefined || Math.abs(made.mtimeMs - statSync(join(root, file)).mtimeMs) >= 1;
}

async function make({ file, output }, transpile) {
  const { mtime } = statSync(join(root, file));
  const target = join(dist, output);
  mkdirSync(dirname(target), { recursive: true });
  if (file.endsWith('.json')) return put(target, readFileSync(join(root, file)), mtime);
  const { code, map } = await transpile(file);
  put(`${target}.map`, map, mtime);
  put(target, `${code}\n//# sourceMappingURL=${output.split('/').at(-1)}.map\n`, mtime);
}

/** Renamed into place: another process may be loading the tree. */
function put(target, content, mtime) {
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, content);
  utimesSync(draft, mtime, mtime);
  renameSync(draft, target);
}

function transpiler({ swc, prefixes }) {
  const { transformFile } = require('@swc/core');
  return async (file) => {
    const sourceFileName = relative(dirname(join(dist, file)), join(root, file));
    const { code, map } = await transformFile(join(root, file), {
      ...swc,
      swcrc: false,
      configFile: false,
      sourceMaps: true,
      sourceFileName,
    });
    return { code: code.replace(/require\("(@connector\/[^"]+)"\)/g, (_, name) => `require("${resolveFrom(file, name, prefixes)}")`), map };
  };
}

/** The relative path of `@connector/<lib>/<file>` as seen from `file`; both trees have the same shape. */
function resolveFrom(file, name, prefixes) {
  const match = prefixes.find(([from]) => name.startsWith(from));
  if (match === undefined) throw new Error(`${name} is in no path of tsconfig.base.json`);
  const path = relative(dirname(file), match[1] + name.slice(match[0].length));
  return path.startsWith('.') ? path : `./${path}`;
}

function removeOrphans(roots, outputs) {
  for (const folder of roots) {
    for (const output of filesUnder(folder)) {
      if (!outputs.has(output.replace(/\.map$/, ''))) rmSync(join(dist, output));
    }
  }
}

function filesUnder(folder) {
  if (!existsSync(join(dist, folder))) return [];
  return readdirSync(join(dist, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(file) : [file];
  });
}

if (isProgram(import.meta)) {
  await main(async () => {
    const began = performance.now();
    const count = await build();
    console.log(`built ${count} files in ${((performance.now() - began) / 1000).toFixed(2)} s`);
  });
}
