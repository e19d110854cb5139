import type { AccountName, Instant } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';

/** Which rows: newest first, after the row `after`, of these accounts, in one state or in any. */
export interface ListAsk {
  readonly accounts: readonly AccountName[];
  readonly state: string | undefined;
  /** The id of the last row that was looked at. */
  readonly after: string | undefined;
  /** 1..200. */
  readonly limit: number;
}

export interface Listed<Row> {
  readonly rows: readonly Row[];
  /** Goes back as `after`; null: there is nothing older. */
  readonly next: string | null;
}

/** A place in time order: the rows of one account stand by it in one index. */
export interface Place {
  readonly id: string;
  readonly at: Instant;
}

/** What a kind of row gives to be listed. */
export interface ListSource<Row> {
  /** At most `LOOK_MAX` rows of one account before a place, newest first; where the state has an index of its own, of that state alone. */
  page(db: Db, account: AccountName, before: Place | undefined, state: string | undefined): Promise<readonly Row[]>;
  placeOf(row: Row): Place;
  find(db: Db, id: string): Promise<Row | undefined>;
  isIn(row: Row, state: string): boolean;
}

/** Rows of one account that one request looks at: with a filter that meets few rows, `next` goes on from the last one looked at. */
export const LOOK_MAX = 500;
export const LIST_MAX = 200;
/** More accounts than this are not merged: name one. */
export const ACCOUNTS_MAX = 50;

/** Accounts are looked at one after the other and merged by time; every one costs one bounded range of one index. */
export async function list<Row>(db: Db, source: ListSource<Row>, ask: ListAsk): Promise<Listed<Row>> {
  const before = await placeBefore(db, source, ask.after);
  const looked: Row[] = [];
  let whole = true;
  for (const account of ask.accounts) {
    const page = await source.page(db, account, before, ask.state);
    whole &&= page.length < LOOK_MAX;
    looked.push(...page);
  }
  const inOrder = looked.sort((left, right) => newestFirst(source.placeOf(left), source.placeOf(right))).slice(0, LOOK_MAX);
  const { state } = ask;
  const wanted = inOrder.filter((row) => state === undefined || source.isIn(row, state));
  const rows = wanted.slice(0, ask.limit);
  const lastShown = rows.at(-1);
  if (wanted.length > rows.length && lastShown !== undefined) return { rows, next: source.placeOf(lastShown).id };
  const lastLooked = inOrder.at(-1);
  const more = !whole || looked.length > inOrder.length;
  return { rows, next: more && lastLooked !== undefined ? source.placeOf(lastLooked).id : null };
}

async function placeBefore<Row>(db: Db, source: ListSource<Row>, after: string | undefined): Promise<Place | undefined> {
  if (after === undefined) return undefined;
  const row = await source.find(db, after);
  if (row === undefined) throw new InputFault('HOUSE:connector:NoSuchPlace', `there is no row ${after} to go on after`);
  return source.placeOf(row);
}

/** By time, then by id: as the index has them, so that a page begins where the last one ended. */
function newestFirst(left: Place, right: Place): number {
  if (left.at !== right.at) return left.at < right.at ? 1 : -1;
  return left.id < right.id ? 1 : left.id > right.id ? -1 : 0;
}
