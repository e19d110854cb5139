import { namedFunctions } from '../ast';
import { isProduction, isTestCode, type Source } from '../repo';

/** The budgets of docs/HOUSE.md. Shares are of files or functions sorted by size; below `few` samples they say nothing. */
export const BUDGET = {
  file: { median: 100, p90: 250, hard: 400 },
  function: { median: 12, p90: 40, hard: 70 },
  comment: { low: 0.05, high: 0.4 },
  few: 20,
};

export interface Sizes {
  readonly files: number;
  readonly lines: number;
  readonly file: { median: number; p90: number; max: number };
  readonly function: { median: number; p90: number; max: number };
  readonly commentShare: number;
}

const lineCount = (text: string): number => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').length;

function spread(values: readonly number[]): { median: number; p90: number; max: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p90: at(0.9), max: sorted.at(-1) ?? 0 };
}

/** Whole-line comments over non-blank lines. */
function commentShare(files: readonly Source[]): number {
  let comments = 0;
  let filled = 0;
  for (const line of files.flatMap((file) => file.text.split('\n'))) {
    if (line.trim() === '') continue;
    filled += 1;
    if (/^\s*(\/\/|\/\*|\*)/.test(line)) comments += 1;
  }
  return filled === 0 ? 0 : comments / filled;
}

export function measure(files: readonly Source[]): Sizes {
  const ours = files.filter((file) => isProduction(file.path));
  const lengths = ours.map((file) => lineCount(file.text));
  return {
    files: ours.length,
    lines: lengths.reduce((sum, lines) => sum + lines, 0),
    file: spread(lengths),
    function: spread(ours.flatMap((file) => namedFunctions(file).map((one) => one.lines))),
    commentShare: commentShare(ours),
  };
}

/** What is over a hard limit, file by file. */
export function overLimit(files: readonly Source[]): string[] {
  return files
    .filter((file) => file.path.endsWith('.ts') || /\.[mc]js$/.test(file.path))
    .flatMap((file) => {
      const found: string[] = [];
      const lines = lineCount(file.text);
      if (lines > BUDGET.file.hard) found.push(`${file.path} has ${lines} lines, at most ${BUDGET.file.hard}`);
      if (isTestCode(file.path)) return found;
      for (const one of namedFunctions(file)) {
        if (one.lines > BUDGET.function.hard)
          found.push(`${file.path} ${one.name} has ${one.lines} lines, at most ${BUDGET.function.hard}`);
      }
      return found;
    });
}

/** What the whole tree is over. */
export function overBudget(sizes: Sizes): string[] {
  if (sizes.files < BUDGET.few) return [];
  const found: string[] = [];
  for (const what of ['file', 'function'] as const) {
    for (const share of ['median', 'p90'] as const) {
      if (sizes[what][share] > BUDGET[what][share])
        found.push(`${what} ${share} is ${sizes[what][share]} lines, at most ${BUDGET[what][share]}`);
    }
  }
  const { low, high } = BUDGET.comment;
  if (sizes.commentShare < low || sizes.commentShare > high)
    found.push(`comments are ${(sizes.commentShare * 100).toFixed(1)} % of the lines`);
  return found;
}
