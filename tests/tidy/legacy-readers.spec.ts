import { legacyReaders, READERS } from './checks/legacy-readers';
import { isSpec, planted, repository } from './repo';

const AT = 'libs/services/runtime/src/a.ts';
const INSIDE = 'libs/services/catalog/src/conversion/a.ts';
const found = (text: string, path = AT) => legacyReaders([planted(path, text)]);

describe('legacy readers', () => {
  it.each([
    ['class A implements Deployed, LegacyPacks {', 'an adapter of the legacy world'],
    ['const packs: LegacyPacks = { read };', 'an adapter of the legacy world'],
    ['const world: LegacyWorld = known;', 'an adapter of the legacy world'],
    ['await packs.read(ref);', 'reads a legacy pack'],
    ["import type { LegacyPacks } from '@connector/catalog/contract/legacy-packs';", 'knows the legacy side'],
    ["import type { LegacyRef } from '@connector/catalog/model/conversion/legacy-pack';", 'knows the legacy side'],
    ['fromSourceCheckout(sourceCheckout);', 'speaks of a source checkout'],
    ["load('known-pack');", 'speaks of a known pack'],
    ["load('active-app-pack');", 'speaks of an active app-pack'],
    ['read(runtimeDeclarations);', 'speaks of installed runtime declarations'],
    ['new MetadataService();', 'speaks of the legacy MetadataService'],
  ])('named: a planted reader: %s', (text, what) => {
    expect(found(text)).toEqual([`${AT}: ${what}`]);
  });

  it('named: inside the conversion a further reader and an adapter are named too; in tests none is', () => {
    expect(found('await packs.read(ref);', INSIDE)).toEqual([`${INSIDE}: reads a legacy pack`]);
    expect(found('class A implements LegacyPacks {', INSIDE)).toEqual([`${INSIDE}: an adapter of the legacy world`]);
    expect(found('class A implements LegacyPacks {', 'libs/testing/src/a.ts')).toEqual([]);
  });

  it('none: no production code reads a legacy pack, by any of the five ways; the tests of generic packs are there (cat:COEX-10, cat:COEX-12, cat:COEX-14, cat:HAND-01)', () => {
    expect(legacyReaders(repository())).toEqual([]);
    const paths = repository().map(({ path }) => path);
    expect(READERS.filter((path) => !paths.includes(path))).toEqual([]);
    expect(paths.filter((path) => isSpec(path) && /^libs\/packs\//.test(path)).length).toBeGreaterThan(3);
  });

  it('apart: the grammar of packs does not know that one was converted (cat:GEN-02, cat:COEX-15)', () => {
    const knows = repository().filter(
      ({ path, text }) => /^libs\/(packs|shipped-packs)\//.test(path) && /legacy|catalog\/model\/conversion/i.test(text),
    );
    expect(knows.map(({ path }) => path)).toEqual([]);
  });
});
