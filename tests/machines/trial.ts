import { Fault } from '@connector/kernel/faults';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { declared, pair, type Declared, type Subject } from './moves';
import { Tap, type Ran } from './tap';

type Row = Readonly<Record<string, unknown>>;

/** A row that stands ready for one door, with every clause of its fence true, and the door itself with its input. */
export interface Arranged {
  readonly key: Readonly<Record<string, unknown>>;
  open(): Promise<unknown>;
}

/** One door with one input. `arrange` makes rows of its own each time. */
export interface Try {
  readonly door: string;
  arrange(): Promise<Arranged>;
}

/** What became of the row when one door was opened on one state. */
export interface Opened {
  readonly door: string;
  readonly from: string;
  readonly to: string;
  readonly before: Row;
  readonly after: Row;
  readonly fault: string | undefined;
}

/** A production statement, run by itself against the row in one state. */
export interface Replayed {
  readonly door: string;
  readonly statement: string;
  readonly from: string;
  readonly to: string;
  /** Columns that it changed. */
  readonly touched: readonly string[];
}

export interface Trial {
  readonly said: Declared;
  readonly opened: readonly Opened[];
  readonly replayed: readonly Replayed[];
  /** States in which the doors inserted rows of this table. */
  readonly born: ReadonlySet<string>;
}

/** Where a machine is tried. */
export interface Site {
  readonly schema: TestSchema;
  readonly tap: Tap;
  readonly subject: Subject;
}

/** A trial on a schema of its own, which is gone afterwards. */
export async function trialOf(subject: Subject, tries: (schema: TestSchema, tap: Tap) => readonly Try[]): Promise<Trial> {
  const schema = await mainSchema();
  const tap = new Tap(schema);
  try {
    return { said: await declared(subject), ...(await tryAll({ schema, tap, subject }, tries(schema, tap))) };
  } finally {
    await tap.close();
    await schema.close();
  }
}

/**
 * Every door on every state of the machine; then, wherever a door wrote the row, its very statement with its very values against the row
 * in every state: what the judge of the door refuses, the WHERE must refuse too (con:SM-ALL-01).
 */
async function tryAll(site: Site, tries: readonly Try[]): Promise<Omit<Trial, 'said'>> {
  const opened: Opened[] = [];
  const replayed: Replayed[] = [];
  const born = new Set<string>();
  for (const one of tries) {
    let arranged: Arranged | undefined;
    for (const from of site.subject.machine.states) {
      // A refusal leaves everything as it was arranged; after a write the next state needs rows of its own.
      if (arranged === undefined) {
        site.tap.take();
        arranged = await one.arrange();
        bornIn(site).forEach((state) => born.add(state));
      }
      const run = await openOn(site, one, arranged, from);
      opened.push(run.opened);
      const { ran } = run;
      ran.flatMap((statement) => insertedStates(site.subject, statement)).forEach((state) => born.add(state));
      const updates = ran.filter(({ name }) => new RegExp(`^update ${site.subject.table}(#|$)`).test(name));
      for (const update of updates) replayed.push(...(await replay(site, one.door, arranged.key, run.opened.before, update)));
      if (ran.some(({ name }) => /^(insert|update) /.test(name))) arranged = undefined;
    }
  }
  return { opened, replayed, born };
}

const bornIn = ({ tap, subject }: Site): readonly string[] => tap.take().flatMap((statement) => insertedStates(subject, statement));

async function openOn(site: Site, one: Try, arranged: Arranged, from: string): Promise<{ opened: Opened; ran: readonly Ran[] }> {
  const { subject, tap } = site;
  await put(site, arranged.key, { [subject.column]: from });
  const before = await rowOf(site, arranged.key);
  const fault = await faultOf(arranged.open());
  const ran = tap.take();
  const after = await rowOf(site, arranged.key);
  return { opened: { door: one.door, from, to: String(after[subject.column]), before, after, fault }, ran };
}

/** A door that meets a state which cannot be there stops with a defect: it is refused like any other, and its name is kept. */
async function faultOf(answer: Promise<unknown>): Promise<string | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** Where this statement lands: `before` with another state, everything else as the door found or left it. */
async function replay(site: Site, door: string, key: Row, before: Row, ran: Ran): Promise<readonly Replayed[]> {
  const found: Replayed[] = [];
  for (const from of site.subject.machine.states) {
    const row: Row = { ...before, [site.subject.column]: Buffer.from(from) };
    await put(site, key, row);
    await site.schema.sql(ran.sql, ran.values);
    const after = await rowOf(site, key);
    const touched = Object.keys(row).filter((column) => !same(after[column], row[column]));
    found.push({ door, statement: ran.name, from, to: String(after[site.subject.column]), touched });
  }
  return found;
}

/** The same for a statement that a test made up. */
export async function replayOnce(site: Site, key: Row, ran: Ran): Promise<readonly Replayed[]> {
  return replay(site, 'planted', key, await rowOf(site, key), ran);
}

export const moved = (found: readonly (Opened | Replayed)[]): readonly string[] =>
  [...new Set(found.filter(({ from, to }) => from !== to).map(({ from, to }) => pair(from, to)))].sort();

/** Doors and statements that the model has for this table and that the trial never met, and the other way round. */
export function untried({ said, opened, replayed }: Trial): readonly string[] {
  const met = new Set([...opened.map(({ door }) => door), ...replayed.map(({ statement }) => statement)]);
  const named = new Set([...said.doors, ...said.updates]);
  return [...[...named].filter((one) => !met.has(one)), ...[...met].filter((one) => !named.has(one))];
}

/** Moves that a door made and none of its paths lists. */
export const unlisted = ({ said, opened, replayed }: Trial): readonly (Opened | Replayed)[] =>
  [...opened, ...replayed].filter(({ door, from, to }) => from !== to && !said.movesOf(door).includes(pair(from, to)));

/** What happened to rows in these states: whatever it is, a terminal fact is not what it was. */
export function disturbed({ opened, replayed }: Trial, states: readonly string[]): readonly (Opened | Replayed)[] {
  const changed = ({ before, after }: Opened): boolean => Object.keys(before).some((column) => !same(before[column], after[column]));
  return [...opened.filter(changed), ...replayed.filter(({ touched }) => touched.length > 0)].filter(({ from }) => states.includes(from));
}

/** The defects that stopped a door which met a state that cannot be there; whatever is expected is answered, not thrown. */
export const faults = ({ opened }: Trial): readonly string[] =>
  [...new Set(opened.flatMap(({ fault }) => (fault === undefined ? [] : [fault])))].sort();

/** For the log of the run: how much was tried. */
export const countOf = ({ said, opened, replayed }: Trial): string =>
  `${opened.length} openings of ${said.doors.length} doors, ${replayed.length} runs of ${said.updates.length} statements; ` +
  `${said.moves.length} pairs move: ${said.moves.join(' ') || 'none'}; later: ${said.later.join(' ') || 'none'}`;

const where = (key: Row): string =>
  Object.keys(key)
    .map((column) => `${column} = ?`)
    .join(' AND ');

async function put({ schema, subject }: Site, key: Row, row: Row): Promise<void> {
  const columns = Object.keys(row).filter((column) => !(column in key));
  const set = columns.map((column) => `${column} = ?`).join(', ');
  const values = [...columns.map((column) => row[column]), ...Object.values(key)];
  await schema.sql(`UPDATE ${subject.table} SET ${set} WHERE ${where(key)}`, values);
}

async function rowOf({ schema, subject }: Site, key: Row): Promise<Row> {
  const rows = await schema.sql(`SELECT * FROM ${subject.table} WHERE ${where(key)}`, Object.values(key));
  if (rows[0] === undefined || rows.length > 1) throw new Error(`${subject.table}: ${rows.length} rows of one key`);
  return rows[0];
}

const same = (left: unknown, right: unknown): boolean =>
  Buffer.isBuffer(left) && Buffer.isBuffer(right) ? left.equals(right) : left === right;

function insertedStates({ table, column }: Subject, { name, sql, values }: Ran): readonly string[] {
  const columns = /\(([^)]+)\) VALUES/.exec(sql)?.[1]?.split(', ');
  const at = columns?.indexOf(column) ?? -1;
  if (name !== `insert ${table}` || columns === undefined || at < 0) return [];
  return values.filter((_, index) => index % columns.length === at).map(String);
}
