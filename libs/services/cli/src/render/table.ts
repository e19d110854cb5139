import { type Members, textOf } from '../members';
import { paint } from './paint';

/** Columns as wide as their widest cell; the state word is coloured, its width is not. */
export function renderTable(rows: readonly Members[], columns: readonly string[], color: boolean): readonly string[] {
  const cells = rows.map((row) => columns.map((column) => textOf(row[column])));
  const widths = columns.map((column, at) => Math.max(column.length, ...cells.map((row) => (row[at] ?? '').length)));
  const row = (texts: readonly string[], tinted: boolean): string =>
    texts
      .map((text, at) => `${tinted ? paint(text, color) : text}${' '.repeat((widths[at] ?? 0) - text.length)}`)
      .join('  ')
      .trimEnd();
  return [
    row(
      columns.map((column) => column.toUpperCase()),
      false,
    ),
    ...cells.map((each) => row(each, true)),
  ];
}

/** One row, a member a line. */
export function renderRow(row: Members, color: boolean): readonly string[] {
  const width = Math.max(...Object.keys(row).map((name) => name.length));
  return Object.entries(row).flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(width)}  ${paint(typeof value === 'object' ? JSON.stringify(value) : textOf(value), color)}`],
  );
}
