import type { End } from '@connector/testing/explorer/actor';
import type { Happened } from '@connector/testing/explorer/schedule';
import type { Rows, Watch } from './rows';

/** What came of a schedule: the answers, and the rows that stand, with minted ids and times taken out of both. */
export interface Outcome {
  readonly answers: readonly string[];
  readonly rows: string;
}

export const sameOutcome = (left: Outcome, right: Outcome): boolean =>
  left.rows === right.rows && left.answers.join() === right.answers.join();

/** `spanning` is left out: of the audit rows of doors that span accounts only the latest are read, whoever wrote them. */
export function outcomeOf({ ends }: Happened, { spanning: _, ...rows }: Rows, watch: Watch): Outcome {
  const plain = plainly(watch);
  const standing = Object.entries(rows).map(([name, list]) => `${name}: ${(list as readonly unknown[]).map(plain).sort().join(' ')}`);
  return { answers: ends.map((end) => plain(end.kind === 'answer' ? end.value : end.code)), rows: standing.sort().join('\n') };
}

const ID = /\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g;
/** What Catalog mints (cat:ID-14). */
const UUID7 = /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g;
const DIGEST = /\b[0-9a-f]{64}\b/g;
const INSTANT = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d+Z?/g;

function plainly({
  accounts,
  holders = [],
  organizations = [],
  apps = [],
  publishers = [],
  words = [],
}: Watch): (value: unknown) => string {
  const names = [...accounts, ...holders, ...organizations, ...apps, ...publishers, ...words];
  return (value) => {
    const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)) ?? 'nothing';
    const named = names.reduce((whole, name, at) => whole.replaceAll(name, `@${at}`), text);
    return named.replace(ID, '_').replace(UUID7, '_').replace(DIGEST, '#').replace(INSTANT, 'T');
  };
}

/** The words of an answer for a person: its kinds, and those of the effects that it decided. */
export function kindsOf(end: End): string {
  return end.kind === 'fault' ? `${end.fault} ${end.code}` : kindsIn(end.value).join(' ');
}

function kindsIn(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    const { kind, effects } = (item ?? {}) as { readonly kind?: unknown; readonly effects?: unknown };
    return effects === undefined ? String(kind) : `${String(kind)} (${kindsIn(effects).join(' ')})`;
  });
}
