import { BUDGET, measure, overBudget, overLimit } from './checks/sizes';
import { isCode, planted, repository } from './repo';

const body = (lines: number): string => Array.from({ length: lines }, (_, index) => `  const a${index} = ${index};`).join('\n');

describe('sizes', () => {
  it('over: a planted file and a planted function are named', () => {
    const long = planted('libs/kernel/src/long.ts', `${body(BUDGET.file.hard + 1)}\n`);
    const deep = planted('libs/kernel/src/deep.ts', `export function deep(): void {\n${body(BUDGET.function.hard)}\n}\n`);
    const held = planted('libs/kernel/src/held.ts', `export const held = (): void => {\n${body(BUDGET.function.hard)}\n};\n`);
    expect(overLimit([long, deep, held])).toEqual([
      'libs/kernel/src/long.ts has 401 lines, at most 400',
      'libs/kernel/src/deep.ts deep has 72 lines, at most 70',
      'libs/kernel/src/held.ts held has 72 lines, at most 70',
    ]);
  });

  it('over: a tree of long files without comments is named', () => {
    const tree = Array.from({ length: BUDGET.few }, (_, index) =>
      planted(`libs/kernel/src/f${index}.ts`, `function f() {\n${body(260)}\n}\n`),
    );
    expect(overBudget(measure(tree))).toEqual([
      'file median is 262 lines, at most 100',
      'file p90 is 262 lines, at most 250',
      'function median is 262 lines, at most 12',
      'function p90 is 262 lines, at most 40',
      'comments are 0.0 % of the lines',
    ]);
  });

  it('none over: no file and no function passes the hard limit', () => {
    expect(overLimit(repository().filter((file) => isCode(file.path)))).toEqual([]);
  });

  it('none over: medians, ninetieths and the share of comments keep the budget', () => {
    const sizes = measure(repository());
    const share = (sizes.commentShare * 100).toFixed(1);
    const { file, function: fn } = sizes;
    console.log(
      `${sizes.files} files, ${sizes.lines} lines; file ${file.median} / ${file.p90} / ${file.max}; function ${fn.median} / ${fn.p90} / ${fn.max}; comments ${share} %`,
    );
    expect(overBudget(sizes)).toEqual([]);
  });
});
