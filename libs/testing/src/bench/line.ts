import { isMet, quantile, type Spread, spreadOf, type Target } from './statistics';

/** The groups of `--only`, in the order in which they run. */
export const GROUPS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'] as const;
export type Group = (typeof GROUPS)[number];

interface Judged {
  readonly value: Spread;
  readonly target: Target;
  readonly met: boolean;
  readonly note: string;
}

/** One line of the answer. A ratio is judged, and a limit that holds on any machine; a figure depends on the machine and is not. */
export type Line = { readonly group: Group; readonly what: string } & (
  | ({ readonly kind: 'ratio' } & Judged)
  | ({ readonly kind: 'limit'; readonly unit: string } & Judged)
  | { readonly kind: 'figure'; readonly value: Spread; readonly unit: string; readonly note: string }
  | { readonly kind: 'not-run'; readonly why: string }
  /** The measuring itself broke; the run goes on with the next group and fails in the end. */
  | { readonly kind: 'failed'; readonly why: string }
);

export function ratioLine(group: Group, what: string, value: Spread, target: Target, note: string): Line {
  return { group, what, kind: 'ratio', value, target, met: isMet(target, value), note };
}

/** `worst` counts, not the middle of what was measured. */
export function limitLine(group: Group, what: string, worst: number, unit: string, than: number, note: string): Line {
  const [value, target] = [spreadOf([worst]), { must: 'at most', than } as const];
  return { group, what, kind: 'limit', value, unit, target, met: isMet(target, value), note };
}

export function figureLine(group: Group, what: string, value: Spread, unit: string, note = ''): Line {
  return { group, what, kind: 'figure', value, unit, note };
}

/** p50 with the ends, and p99; ms. */
export function latencyLines(group: Group, what: string, ms: readonly number[], note = ''): readonly Line[] {
  const p99 = spreadOf([quantile(ms, 0.99)]);
  return [figureLine(group, `${what}, p50`, spreadOf(ms), 'ms', note), figureLine(group, `${what}, p99`, p99, 'ms', `of ${ms.length}`)];
}

const DIGITS = 3;
const shown = (value: number): string => (value >= 1_000 ? Math.round(value).toString() : Number(value.toPrecision(DIGITS)).toString());
const spread = ({ median, min, max, count }: Spread): string =>
  count === 1 ? shown(median) : `${shown(median)} (${shown(min)} to ${shown(max)}, n=${count})`;

function cellsOf(line: Line): readonly string[] {
  if (line.kind === 'not-run') return [line.group, line.what, 'not run', '', line.why];
  if (line.kind === 'failed') return [line.group, line.what, 'FAILED', '', line.why];
  if (line.kind === 'figure') return [line.group, line.what, `${spread(line.value)} ${line.unit}`, '', line.note];
  const { must, than } = line.target;
  const value = line.kind === 'limit' ? `${spread(line.value)} ${line.unit}` : spread(line.value);
  return [line.group, line.what, value, `${must} ${than}: ${line.met ? 'met' : 'MISSED'}`, line.note];
}

/** As a person reads it: columns under their heads. */
export function tableOf(lines: readonly Line[]): string {
  const rows = [['', 'what', 'median (min to max)', 'target', 'note'], ...lines.map(cellsOf)];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
