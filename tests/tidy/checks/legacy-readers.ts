import { isProduction, type Source } from '../repo';

/** The conversion itself: the one place that knows the legacy side. */
const HOME = /^libs\/(catalog\/src\/(contract\/legacy-packs\.ts|model\/conversion\/)|services\/catalog\/src\/conversion\/)/;
/** The two that read a legacy source: the proof of a conversion, and the ledger's own way in. */
export const READERS = ['libs/services/catalog/src/conversion/frozen-projection.ts', 'libs/services/catalog/src/conversion/prove.ts'];

const PORT = /contract\/legacy-packs'|conversion\/legacy-pack'/;
const ADAPTER = /\bimplements\b[^{]*\bLegacyPacks\b|:\s*(LegacyPacks|LegacyWorld)\s*=[^>]/;
const READ = /\bpacks\.read\(/;
/** The five kinds of reader of the contract, as code would call them. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['a source checkout', /\bsource[-_ ]?checkouts?\b/i],
  ['a known pack', /\bknown[-_ ]?packs?\b/i],
  ['an active app-pack', /\b(active[-_ ]?)?app-?packs?\b/i],
  ['installed runtime declarations', /\b(installed[-_ ]?)?runtime[-_ ]?declarations?\b/i],
  ['the legacy MetadataService', /\bmetadata[-_ ]?services?\b/i],
];

/** Production code that could read a legacy pack past the conversion and its ledger. */
export function legacyReaders(files: readonly Source[]): string[] {
  const found: string[] = [];
  for (const { path, text } of files.filter((file) => isProduction(file.path) && /\.(ts|mjs)$/.test(file.path))) {
    if (ADAPTER.test(text)) found.push(`${path}: an adapter of the legacy world`);
    if (READ.test(text) && !READERS.includes(path)) found.push(`${path}: reads a legacy pack`);
    if (HOME.test(path)) continue;
    if (PORT.test(text)) found.push(`${path}: knows the legacy side`);
    for (const [kind, words] of KINDS) if (words.test(text)) found.push(`${path}: speaks of ${kind}`);
  }
  return found;
}
