import { generatedDocuments } from '@connector/testing/facts/generated';
import { planted, repository, type Source } from './repo';

const GENERATED = /^docs\/(FACTS\.md$|machines\/)/;

/** Generated files that are not what the code gives now, each with what to do. */
function drifted(files: readonly Source[], documents: ReadonlyMap<string, string>): readonly string[] {
  const held = new Map(files.filter(({ path }) => GENERATED.test(path)).map(({ path, text }) => [path, text]));
  const stray = [...held.keys()].filter((path) => !documents.has(path)).map((path) => `${path} is made from nothing: npm run facts`);
  const stale = [...documents].filter(([path, text]) => held.get(path) !== text);
  return [...stray, ...stale.map(([path]) => `${path} differs from the code: npm run facts`)];
}

describe('facts', () => {
  it('named: a planted page that differs, one that is missing and one that nothing makes', () => {
    const documents = new Map([
      ['docs/FACTS.md', 'new'],
      ['docs/machines/gone.md', ''],
    ]);
    expect(drifted([planted('docs/FACTS.md', 'old'), planted('docs/machines/stray.md', '')], documents)).toEqual([
      'docs/machines/stray.md is made from nothing: npm run facts',
      'docs/FACTS.md differs from the code: npm run facts',
      'docs/machines/gone.md differs from the code: npm run facts',
    ]);
  });

  it('current: docs/FACTS.md and docs/machines are what the code gives', async () => {
    expect(drifted(repository(), await generatedDocuments())).toEqual([]);
    // It loads every owner and service once: seconds, and more while others use the machine.
  }, 60_000);
});
