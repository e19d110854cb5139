import type { Model } from '../model';
import type { Source } from '../repo';

/** A fact of the authority map: who owns it here, or `elsewhere`; in which tables it stands; where its code is. */
export interface MappedFact {
  readonly owner: string;
  readonly tables: readonly string[];
  readonly anchors: readonly string[];
}

/** Every one of their tables says of which fact it is: a further one is a further fact, or a projection that somebody else owns. */
const MAPPED = /^(cat|art|sec)_/;

const twice = (names: readonly string[]): readonly string[] => names.filter((name, at) => names.indexOf(name) !== at);

/** Where the map and the code say different things. */
export function mapFaults(
  facts: readonly MappedFact[],
  { tables, doors }: Pick<Model, 'tables' | 'doors'>,
  files: readonly Source[],
): readonly string[] {
  const known = tables.map(({ table }) => table.name);
  const placed = facts.flatMap((fact) => fact.tables);
  const paths = new Set(files.map(({ path }) => path));
  const writers = (table: string): readonly string[] => [
    ...new Set(
      doors
        .filter(({ steps }) => steps.some((step) => step.table === table && (step.verb === 'insert' || step.verb === 'update')))
        .map(({ owner }) => owner),
    ),
  ];
  return [
    ...placed.filter((table) => !known.includes(table)).map((table) => `${table} is no table`),
    ...twice(placed).map((table) => `${table} is of two facts`),
    ...known.filter((table) => MAPPED.test(table) && !placed.includes(table)).map((table) => `${table} is of no fact`),
    ...facts.flatMap(({ owner, tables: held, anchors }) => [
      ...held.flatMap((table) =>
        writers(table)
          .filter((writer) => writer !== owner)
          .map((writer) => `${table} of ${owner} is written by ${writer}`),
      ),
      ...anchors.filter((anchor) => !paths.has(anchor)).map((anchor) => `${anchor} is not there`),
      ...(owner !== 'elsewhere' && anchors.length === 0 ? [`${owner} has no anchor for ${held.join(', ')}`] : []),
    ]),
  ];
}

export interface Phase {
  readonly waits_for: readonly string[];
  readonly done: boolean;
  /** Words by which its code would begin. */
  readonly names?: readonly string[];
}

/** Phases that are begun, or said to be done, before everything that they wait for. */
export function begunEarly(phases: Readonly<Record<string, Phase>>, code: readonly Source[]): readonly string[] {
  return Object.entries(phases).flatMap(([name, { waits_for: waits, done, names = [] }]) => {
    const open = waits.filter((other) => phases[other]?.done !== true);
    if (open.length === 0) return [];
    const begun = code.filter(({ text }) => names.some((word) => text.includes(word))).map(({ path }) => path);
    return [...begun, ...(done ? ['the companion'] : [])].map((where) => `${where} begins ${name} before ${open.join(', ')}`);
  });
}
