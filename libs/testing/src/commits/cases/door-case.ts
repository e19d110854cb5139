import { DefectFault } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import type { retrying } from '@connector/platform/db/retrying';
import type { TestSchema } from '../../database';
import { serveAccounts, type ServedAccount } from '../../fixtures/account';
import { serviceRow } from '../../fixtures/serving';

/** Both databases, of every table and no row. */
export interface Site {
  readonly main: TestSchema;
  readonly journal: TestSchema;
}

/** How a caller runs a door again; production's own unless a wrong one is planted. */
export type Again = typeof retrying;

export interface Act {
  /**
   * The door with an input that was fixed before, run as its caller runs it. Answers what its caller learns, the same words whether the first
   * COMMIT or a later run told it.
   */
  run(db: Db, again: Again): Promise<unknown>;
  /** What must hold beyond rows and answer; a sentence where it does not. */
  after?(db: Db): Promise<string | undefined>;
}

export interface DoorCase {
  readonly door: string;
  /** Which of the door's ways it is, where it has several. */
  readonly way?: string;
  /** The database that the door writes; the main one where nothing is said. */
  readonly database?: 'journal';
  arrange(site: Site): Promise<Act>;
}

/** What a run says that finds an earlier one of its own landed, and the answer that it stands for. */
const STANDS_FOR = new Map([
  ['redelivered', 'admitted'],
  ['already-open', 'opened'],
  ['already-there', 'moved'],
]);
const wordOf = (kind: string): string => STANDS_FOR.get(kind) ?? kind.replace(/^already-/, '');

/** The answer in one word for both, with what else it says. */
export function standing<A extends { readonly kind: string }>(answer: A): A {
  return { ...answer, kind: wordOf(answer.kind) };
}

/** An act that is one door under one retry rule. */
export function act<A extends { readonly kind: string }>(
  policy: Parameters<Again>[0],
  door: (db: Db) => Promise<A | readonly A[]>,
  told: (answer: A) => unknown = standing,
): Act {
  const each = (answer: A | readonly A[]): unknown => (isList(answer) ? answer.map(told) : told(answer));
  return { run: async (db, again) => each(await again(policy, () => door(db))) };
}

const isList = <A>(answer: A | readonly A[]): answer is readonly A[] => Array.isArray(answer);

/** The service row and one account that serves. */
export async function oneAccount(main: TestSchema): Promise<ServedAccount> {
  await serviceRow(main);
  const [served] = await serveAccounts(main, ['north/acme']);
  return known(served);
}

/** For what a fixture has made: a case that could not be arranged is a defect of the case. */
export function known<T>(value: T | undefined): T {
  if (value === undefined) throw new DefectFault('HOUSE:testing:NotArranged', 'the case could not be arranged');
  return value;
}
