import { titlesOf } from './ast';
import { kindsOf, untestedOutcomes } from './checks/outcomes';
import { model } from './model';
import { planted, repository } from './repo';

const STEP = [
  "interface Held { readonly kind: 'held'; readonly n: 1 }",
  "export type Close = { readonly kind: 'done' | 'gone' } | Held;",
  "export interface Asked { readonly kind: 'asked' }",
  "type Inner = { kind: 'inner' };",
  'export async function close(asked: Asked): Promise<readonly Close[]> { const inner: Inner = make(asked); return inner; }',
].join('\n');
const step = planted('libs/connector/src/transitions/close-things.step.ts', STEP);
const spec = (text: string, name = 'close-things.db.spec.ts') => planted(`libs/connector/src/transitions/${name}`, text);

describe('outcomes', () => {
  it('found: every word that an outcome’s kind can be, and no inner one', () => {
    expect(kindsOf(step)).toEqual(['done', 'gone', 'held']);
  });

  it('found: titles with what stands above them, and one for every word of a table', () => {
    expect(titlesOf(spec("describe('close', () => { it('done: x', () => {}); it.each(['gone', 'held'])('%s: y', () => {}); });"))).toEqual([
      'close › done: x',
      'close › %s: y',
      'close › gone: y',
      'close › held: y',
    ]);
  });

  it('named: a planted outcome that no test begins with, or only one of another transition', () => {
    const tests = "it('done: a', () => {}); it('gone: b', () => {});";
    expect(untestedOutcomes([], [step, spec(tests)])).toEqual([
      'libs/connector/src/transitions/close-things.step.ts: no test begins with “held:”',
    ]);
    expect(untestedOutcomes([], [step, spec(`${tests} it('held: d', () => {});`)])).toEqual([]);
    expect(untestedOutcomes([], [step, spec(`${tests} it('held: d', () => {});`, 'other.spec.ts')])).toHaveLength(3);
    expect(
      untestedOutcomes([], [step, spec(`describe('close-things', () => { ${tests} it('held: d', () => {}); });`, 'other.spec.ts')]),
    ).toEqual([]);
  });

  it('every: an outcome of a write path begins the title of a test', async () => {
    expect(untestedOutcomes((await model()).doors, repository())).toEqual([]);
  });
});
