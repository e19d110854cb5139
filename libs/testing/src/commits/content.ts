import { createHash } from 'node:crypto';
import type { Column } from '@connector/kernel/column';
import { ReceiptId } from '@connector/kernel/ids';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';

/** Rows by table, as the driver gives them. */
export type Content = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/;
/** Ids as text, UUIDs and digests inside texts and documents. */
const NAMES = /\b[a-z]{3}_([0-9a-hjkmnp-tv-z]{26})\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g;
/** Minted as well, and shorter than an id. */
const PREFIX = 'account_prefix';
/** Ids and digests of the schema, `<table>.<column>`: random bytes are a readable text once in some thousand runs, and then are no name yet. */
const BINARY = new Set(
  [...MAIN_TABLES, ...JOURNAL_TABLES].flatMap(({ name, columns }) =>
    Object.entries<Column<unknown>>(columns).flatMap(([column, { ddl }]) => (/^BINARY\((16|32)\)/.test(ddl) ? [`${name}.${column}`] : [])),
  ),
);
/** Colours settle after as many rounds as the longest way from one row to another over ids that both name. */
const ROUNDS = 4;

/** A text with minted values in it: `texts` stand around `minted`, so there is one more of them. */
interface Cell {
  readonly texts: readonly string[];
  readonly minted: readonly string[];
}
type Line = readonly Cell[];

/**
 * The content, one sorted line a row, with times left out and each minted value told by where it stands: two contents are equal when they
 * differ in minted ids and times alone (decisions 13.14), and unequal when one id stands where the other content has two. This is the
 * colouring of graphs: a value's colour is made of the lines that it is on, and the lines are made of colours.
 */
export function withoutMinted(content: Content): readonly string[] {
  const lines = [...content].flatMap(([table, rows]) => rows.map((row) => lineOf(table, row)));
  let colours = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round += 1) colours = recoloured(lines, colours);
  return lines.map((line) => told(line, colours)).sort();
}

/** What each has that the other has not; empty when they are equal. */
export function differences(wanted: readonly string[], found: readonly string[]): readonly string[] {
  return [...without(wanted, found).map((line) => `missing: ${line}`), ...without(found, wanted).map((line) => `too much: ${line}`)];
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function lineOf(table: string, row: Readonly<Record<string, unknown>>): Line {
  const cells = Object.entries(row).map(([column, value]) => {
    const isMinted = column === PREFIX || (Buffer.isBuffer(value) && BINARY.has(`${table}.${column}`));
    const cell = isMinted ? mintedCell(value) : cellOf(typeof value === 'string' && TIME.test(value) ? 'a time' : value);
    return { ...cell, texts: [`${column}=${cell.texts[0]}`, ...cell.texts.slice(1)] };
  });
  return [{ texts: [table], minted: [] }, ...cells];
}

function cellOf(value: unknown): Cell {
  if (!Buffer.isBuffer(value)) return textCell(typeof value === 'string' ? value : String(value));
  const text = value.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(value) && value.every((byte) => byte >= 9);
  if (isText) return textCell(text);
  return value.length === 16 || value.length === 32 ? mintedCell(value) : { texts: [value.toString('hex')], minted: [] };
}

const mintedCell = (value: unknown): Cell => ({
  texts: ['', ''],
  minted: [Buffer.isBuffer(value) ? value.toString('hex') : String(value)],
});

function textCell(text: string): Cell {
  const texts: string[] = [];
  const minted: string[] = [];
  let from = 0;
  for (const match of text.matchAll(NAMES)) {
    texts.push(text.slice(from, match.index));
    // One value has one name, as bytes and in each of its text forms.
    minted.push(
      match[1] === undefined ? match[0].replaceAll('-', '') : ReceiptId.bytes(ReceiptId.parse(`rcp_${match[1]}`)).toString('hex'),
    );
    from = match.index + match[0].length;
  }
  return { texts: [...texts, text.slice(from)], minted };
}

function told(line: Line, colours: ReadonlyMap<string, string>): string {
  return line
    .map(({ texts, minted }) =>
      texts.map((text, at) => (at === 0 ? text : `<${colours.get(minted[at - 1] as string) ?? ''}>${text}`)).join(''),
    )
    .join(' ');
}

function recoloured(lines: readonly Line[], colours: ReadonlyMap<string, string>): Map<string, string> {
  const places = new Map<string, string[]>();
  for (const line of lines) {
    const text = told(line, colours);
    line.forEach(({ minted }, cell) =>
      minted.forEach((value, at) => {
        const known = places.get(value);
        if (known === undefined) places.set(value, [`${cell}.${at} ${text}`]);
        else known.push(`${cell}.${at} ${text}`);
      }),
    );
  }
  return new Map([...places].map(([value, at]) => [value, digest(at.sort().join('\n'))]));
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
