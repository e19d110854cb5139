/** A Markdown table; bars and line ends of a cell are taken out, so that no cell ends it. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (value: string | number): string => `${value}`.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');

export const code = (text: string): string => `\`${text}\``;
export const codes = (texts: readonly string[]): string => texts.map(code).join(' ');
export const byName =
  <T>(of: (one: T) => string) =>
  (left: T, right: T): number =>
    of(left) < of(right) ? -1 : of(left) > of(right) ? 1 : 0;
