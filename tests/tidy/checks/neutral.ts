import { isConversion, isProduction, type Source } from '../repo';

/** Providers, their objects and their events that a connector is likely to meet, whether or not a pack of theirs ships. */
const ALWAYS =
  'crm desk ticket tickets contact contacts lead leads opportunity opportunities deal deals hubspot salesforce sfcrm zendesk freshdesk intercom pipedrive stripe shopify slack github gitlab jira sobject sobjects soql sosl apex visualforce'.split(
    ' ',
  );
/** Words that a pack's name shares with everybody. */
const COMMON = new Set(['pack', 'v1', 'v2', 'dev', 'test', 'example', 'shared', 'testing', 'src', 'build', 'catalog', 'common']);
/** L0, and Runtime security beside it. */
const NEUTRAL = /^libs\/(kernel|platform|schema|connector|security)\//;
/**
 * Neutral as far as it runs: tests register Apps of made-up names, and the conversion names what it converts. Runtime is L0 to an App; the handlers
 * that its service has are an application's.
 */
const NEUTRAL_CODE =
  /^libs\/(catalog|artifacts|runtime|services\/(catalog|cutover-coordinator|epoch-view|execution-claimant|outbound-dispatcher))\//;
/** Identifiers that the seeds spell out; kept byte for byte (decisions 11). */
const SPELLED = /\bio\.nexuscrm\.[a-z0-9.-]*|\bio\.nexuscrm\b|\bnexuscrm\.[a-z0-9][a-z0-9./-]*/g;
/** Their texts are those of the published digest vectors. */
const VECTOR_SPECS = /^libs\/connector\/src\/model\/digests\/[^/]+\.spec\.ts$/;
const URL_TEXT = /\bhttps?:\/\/\S+/g;

/** Identifiers taken apart at their humps and underscores, and whole. */
export function wordsOf(text: string): string[] {
  const apart = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return `${apart} ${text}`
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2);
}

/** Names of packs, and the objects that their fixtures' event names speak of (`contact.updated`: contact). */
export function vocabulary(files: readonly Source[]): ReadonlySet<string> {
  const found = new Set(ALWAYS);
  for (const file of files) {
    const pack = /^libs\/shipped-packs\/([^/]+)\//.exec(file.path)?.[1];
    if (pack === undefined) continue;
    for (const word of wordsOf(pack)) found.add(word);
    if (!file.path.endsWith('.json')) continue;
    for (const match of file.text.matchAll(/"(?:type|event|event_type|topic|object)":\s*"([a-z_]+)\.[a-z_.]+"/g))
      for (const word of wordsOf(match[1] ?? '')) found.add(word);
  }
  for (const word of COMMON) found.delete(word);
  return found;
}

/** Where L0, what it stands on, Runtime security and the App authority speak of a provider, its objects or its events. */
export function providerWords(files: readonly Source[], words: ReadonlySet<string>): string[] {
  return files
    .filter(
      (file) =>
        (NEUTRAL.test(file.path) || (NEUTRAL_CODE.test(file.path) && isProduction(file.path) && !isConversion(file.path))) &&
        /\.(ts|sql|json)$/.test(file.path) &&
        !file.path.includes('/vectors/') &&
        !VECTOR_SPECS.test(file.path),
    )
    .flatMap((file) =>
      file.text.split('\n').flatMap((line, index) => {
        const hits = wordsOf(line.replace(SPELLED, ' ').replace(URL_TEXT, ' ')).filter((word) => words.has(word));
        return [...new Set(hits)].map((word) => `${file.path}:${index + 1}: ${word}`);
      }),
    );
}
