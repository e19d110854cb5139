import { parseStep } from '@connector/kernel/paths';
import type { Model } from '../model';
import { importsOf, resolveImport, titlesOf } from '../ast';
import { isCode, isConversion, isProduction, isSpec, type Source } from '../repo';

const named = (files: readonly Source[], pattern: RegExp, says: (word: string) => string): readonly string[] =>
  files.flatMap(({ path, text }) => {
    const word = pattern.exec(text)?.[0];
    return word === undefined ? [] : [`${path}: ${says(word)}`];
  });

/** Words of the record-access slice, and of any RPC in which somebody could define it. */
const SLICE = /\b(record-?access|evaluate-?access|\w*RecordAccess\w*|ui-api)\b|@grpc\/|\bprotobuf(js)?\b|\brpc \w+ ?\(/i;

/**
 * The two record-access capabilities are named in the companion and in vectors alone: their route, their request and their RPC are defined by
 * nobody here. Whoever begins them finds this first, and with it what their contract must keep.
 */
export function recordAccess(files: readonly Source[]): readonly string[] {
  const proto = files.filter(({ path }) => path.endsWith('.proto')).map(({ path }) => `${path}: an RPC definition`);
  const code = files.filter(({ path }) => isProduction(path));
  return [...proto, ...named(code, SLICE, (word) => `speaks of ${word}`)];
}

/** What named an App or an installation before, and the ways in which it was read. */
const LEGACY = /_System_\w+|\bProductHooks\b|\bPackInstallId\b|\bFrontendAppId\b|\bapp-pack\b|\bAppPack\b|\bInstalledPack\b/;

export function legacyReaders(files: readonly Source[]): readonly string[] {
  const serving = files.filter(({ path }) => isProduction(path) && !isConversion(path));
  return named(serving, LEGACY, (word) => `reads ${word}`);
}

const APPS = /^libs\/(catalog|artifacts|security)\//;
const PACKS = /^libs\/(packs|shipped-packs|pack-sdk)\//;

/** Apps and packs are two things: neither is built of the other's code. What hosts both may see both; a conversion reads a pack once. */
export function appsAndPacks(files: readonly Source[]): readonly string[] {
  return files
    .filter(({ path }) => isProduction(path) && !isConversion(path))
    .flatMap((file) => {
      const [from, other] = APPS.test(file.path) ? ['an App', PACKS] : [PACKS.test(file.path) ? 'a pack' : '', APPS];
      if (from === '') return [];
      const targets = [...importsOf(file).values()].map((one) => resolveImport(file.path, one.from) ?? '');
      return targets.filter((target) => other.test(target)).map((target) => `${file.path}: ${from} made of ${target}`);
    });
}

/** Rows that every act, every attempt or every change adds one of. */
const OF_EVERY_ACT = new Set(['cat_audit', 'cat_request', 'cat_publication_step', 'cat_candidate', 'cat_revision']);

/** Facts of the App authority that more than one write path begins, and which these are. */
export function waysIn({ paths, tables }: Pick<Model, 'paths' | 'tables'>): Readonly<Record<string, readonly string[]>> {
  const facts = tables.map(({ table }) => table.name).filter((name) => /^(cat|art)_/.test(name) && !OF_EVERY_ACT.has(name));
  const begins = (table: string): readonly string[] =>
    paths
      .filter(({ steps }) => steps.map(parseStep).some((step) => step.verb === 'insert' && step.table === table))
      .map(({ name }) => name)
      .sort();
  return Object.fromEntries(facts.map((table) => [table, begins(table)] as const).filter(([, ways]) => ways.length !== 1));
}

const MINTED = '(?:app_installation_id|installation_id|binding_id|lineage_id)';
/** Page by page in any fixed order, yes; the last or the first of them, no: a clock that steps back would choose another one. */
const CHOSEN = new RegExp(`ORDER BY [^'"\`;]*\\b${MINTED}\\b(?:[^'"\`;]*\\bDESC\\b|[^'"\`;]*\\bLIMIT 1\\b)`);

/** Where a minted UUIDv7 would choose by its time. */
export function chosenByMintedId(files: readonly Source[]): readonly string[] {
  return named(
    files.filter(({ path }) => isProduction(path)),
    CHOSEN,
    () => 'chooses by a minted id',
  );
}

const THREAD = /\b[Ii]ssue (?:#\s?)?\d+|(?<![\w&/])#\d{3,}\b|\bpull request\b/;
const CITED = /\b(?:con|cat):[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g;

/** The reason of a rule is a row of the matrices or a decision, never a thread; and a row that is named is there. */
export function reasonsOf(files: readonly Source[], rows: ReadonlySet<string>): readonly string[] {
  const ours = files.filter(({ path }) => (isCode(path) || /^docs\/.*\.md$/.test(path)) && !path.startsWith('tests/tidy/'));
  const threads = named(ours, THREAD, (word) => `rests on ${word.trim()}`);
  const unknown = ours.flatMap(({ path, text }) =>
    [...new Set(text.match(CITED) ?? [])].filter((row) => !rows.has(row)).map((row) => `${path}: ${row} is no row`),
  );
  return [...threads, ...unknown];
}

const NAMESPACE_MEMBER = /^\s*(?:@.*\)\s*)?(?:readonly )?\w*namespaces?\w*[!?]?:/im;

/** The body of a request in which somebody would author a namespace. */
export function authoredNamespaces(files: readonly Source[]): readonly string[] {
  return named(
    files.filter(({ path }) => isProduction(path) && /\bbodies\.ts$/.test(path)),
    NAMESPACE_MEMBER,
    () => 'takes a namespace',
  );
}

/** Ports that somebody outside answers, and how many adapters each one's suite is run on; what was is asked once, by a conversion. */
export function untriedPorts(files: readonly Source[]): readonly string[] {
  const ports = files.flatMap(({ path, text }) => {
    if (!path.startsWith('libs/catalog/src/contract/') || isConversion(path)) return [];
    return [...text.matchAll(/export interface (\w+) \{[^}]*\): Promise</g)].map(([, name = '']) => ({ path, name }));
  });
  const suites = files.filter(({ path }) => path.endsWith('-conformance.ts'));
  return ports.flatMap(({ path, name }) => {
    const suite = suites.find(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
    const run = suite === undefined ? 0 : timesRun(files, suite, name);
    return run < 2 ? [`${path}: the suite of ${name} is run on ${run} adapters, at least 2`] : [];
  });
}

/** A suite of two ports has a function each; the one that names the port in its parameters, or in the type of what it opens, counts. */
function timesRun(files: readonly Source[], { text }: Source, port: string): number {
  const holders = [...text.matchAll(/export interface (\w+) \{[^}]*\}/g)].filter(([body]) => body.includes(port)).map(([, name]) => name);
  const functions = [...text.matchAll(/export function (\w+)\(([\s\S]*?)\): void/g)];
  const suite = functions.find(([, , parameters = '']) => [port, ...holders].some((name) => new RegExp(`\\b${name}\\b`).test(parameters)));
  const calls = new RegExp(`^${suite?.[1] ?? ' '}\\(`, 'gm');
  return files.filter(({ path }) => path.endsWith('.spec.ts')).reduce((sum, file) => sum + (file.text.match(calls) ?? []).length, 0);
}

/** Rows of checks that no test falsifies alone: a title of their own that begins with the refusal. */
export function unfalsified(rows: readonly string[], files: readonly Source[]): readonly string[] {
  const refusals = files
    .filter(({ path }) => isSpec(path))
    .flatMap((file) => titlesOf(file).flatMap((title) => title.split(' › ')))
    .filter((title) => /^(refused|disagrees):/.test(title));
  return rows.filter((row) => !refusals.some((title) => title.includes(row)));
}
