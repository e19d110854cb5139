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

  it('named: a planted AppID that is put together and then parsed; one that is read is none', () => {
    const at = (text: string) => madeNames([planted('libs/catalog/src/model/a.ts', text)]);
    for (const text of [
      'const id = AppId.parse(`io.nexuscrm.${pack.name}`);',
      "const id = AppId.parse('io.nexuscrm.' + pack.name);",
      "const id = AppId.parse(url.replace('https://', ''));",
      "const id = argument('app', AppId, repository.split('/').reverse().join('.'));",
    ])
      expect(at(text)).toEqual(['libs/catalog/src/model/a.ts: an AppId that is computed']);
    expect(
      at("const id = AppId.parse(row.app_id), other = argument('app_id', AppId, app), one = AppId.parse('io.nexuscrm.sfcrm');"),
    ).toEqual([]);
  });

  it('none: an AppID has no constructor but its parser, which is given what somebody stated (cat:ID-09, cat:FAIL-01)', () => {
    expect(madeNames(repository())).toEqual([]);
  });
});
