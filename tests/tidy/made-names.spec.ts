import { madeNames } from './checks/made-names';
import { planted, repository } from './repo';

describe('made names', () => {
  it('named: a planted AppID that is computed', () => {
    const text = 'const id = `io.${pack.name}` as AppId;';
    expect(madeNames([planted('libs/catalog/src/model/a.ts', text)])).toEqual([
      'libs/catalog/src/model/a.ts: a AppId that no parser has seen',
    ]);
    expect(madeNames([planted('libs/catalog/src/model/a.spec.ts', text)])).toEqual([]);
  });

  it('none: an AppID has no constructor but its parser (cat:ID-09, cat:FAIL-01)', () => {
    expect(madeNames(repository())).toEqual([]);
  });
});
