import { unplaced } from './checks/projects';
import { forbiddenShapes } from './checks/shape';
import { planted, repository } from './repo';

describe('shape', () => {
  it('named: every planted shape that the house does without', () => {
    const at = (name: string, text = ''): string[] => forbiddenShapes([planted(name, text)]);
    expect(at('libs/kernel/src/index.ts')).toEqual(['libs/kernel/src/index.ts: a barrel']);
    expect(at('docs/HALT-PLAN.md')).toEqual(['docs/HALT-PLAN.md: a plan: plans are issues']);
    expect(at('libs/kernel/src/a.ts', "export * from './b';")).toEqual(['libs/kernel/src/a.ts: export everything']);
    expect(at('libs/kernel/src/a.ts', 'export default 1;')).toEqual(['libs/kernel/src/a.ts: a default export']);
    expect(at('libs/kernel/src/a.ts', ['const a = forward', 'Ref(() => B);'].join(''))).toHaveLength(1);
    expect(at('libs/kernel/src/a.ts', ['// eslint', '-disable-next-line'].join(''))).toHaveLength(1);
    expect(at('libs/kernel/src/a.ts', ['// @ts-', 'expect-error'].join(''))).toHaveLength(1);
    expect(at('libs/kernel/src/a.ts', ['// TO', 'DO later'].join(''))).toHaveLength(1);
    expect(at('libs/kernel/src/a.spec.ts', ['it.', "only('x', () => {});"].join(''))).toHaveLength(1);
    expect(at('libs/kernel/src/a.ts', 'export const todos = 1;')).toEqual([]);
  });

  it('none: no barrel, no export of everything, no switched-off check, no open question, no silent test', () => {
    expect(forbiddenShapes(repository())).toEqual([]);
  });

  it('named: planted code of no project, a project without a type, and a name used twice', () => {
    const project = (folder: string, name: string, tags: string[]) => planted(`${folder}/project.json`, JSON.stringify({ name, tags }));
    const both = ['type:owner', 'scope:one'];
    expect(unplaced([project('libs/one', 'one', both), planted('libs/one/src/a.ts', ''), planted('libs/two/src/a.ts', '')])).toEqual([
      'libs/two/src/a.ts belongs to no project',
    ]);
    expect(unplaced([project('libs/one', 'one', ['scope:one'])])).toEqual(['libs/one/project.json does not have one type and one scope']);
    expect(unplaced([project('libs/one', 'one', both), project('libs/two', 'one', both)])).toHaveLength(2);
  });

  it('placed: all code belongs to a project with one type and one scope', () => {
    expect(unplaced(repository())).toEqual([]);
  });
});
