import { doors, writePaths } from '@connector/kernel/paths';
import { doorUsers, headers, longDoors, pathsAndDoors, pathsAndFiles } from './checks/write-paths';
import { model, type Model } from './model';
import { planted, repository } from './repo';

const paths = writePaths({
  'close-things': { code: 'CLS', about: '', again: '', steps: ['lock con_thing', 'update con_thing'] },
  'open-things': { code: 'OPN', about: '', again: '', steps: ['insert con_thing'] },
});
const small: Model = {
  paths: Object.entries(paths).map(([name, path]) => ({ ...path, name, owner: 'connector' })),
  doors: Object.values(
    doors(paths, {
      'close-things': { paths: ['close-things'], by: ['ingress'] },
      both: { paths: ['open-things', 'close-things'], by: ['egress'] },
    }),
  ).map((door) => ({ ...door, owner: 'connector' })),
  tables: [],
};
const at = (name: string, text = '') => planted(`libs/connector/src/transitions/${name}`, text);
const whole = [at('both.tx.ts'), at('a/open-things.step.ts'), at('close-things.step.ts'), at('close-things.tx.ts')];
const without = (name: string) => whole.filter((file) => !file.path.endsWith(name));

describe('write paths', () => {
  it('named: a planted path without its file, twice, or a file without its path', () => {
    expect(pathsAndFiles(small, whole)).toEqual([]);
    expect(pathsAndFiles(small, without('open-things.step.ts'))).toHaveLength(1);
    expect(pathsAndFiles(small, [...whole, at('b/open-things.step.ts')])).toHaveLength(1);
    expect(pathsAndFiles(small, without('both.tx.ts'))).toEqual(['door both of connector has 0 both.tx.ts, not one']);
    expect(pathsAndFiles(small, [...whole, at('other.step.ts'), at('other.tx.ts')])).toEqual([
      'libs/connector/src/transitions/other.step.ts is no path of connector',
      'libs/connector/src/transitions/other.tx.ts is no door of connector',
    ]);
  });

  it('let be: a path that only the door of its own name carries needs no step; an owner that has not begun', () => {
    const alone: Model = { ...small, doors: small.doors.filter((door) => door.name === 'close-things'), paths: small.paths.slice(0, 1) };
    expect(pathsAndFiles(alone, [at('close-things.tx.ts')])).toEqual([]);
    expect(pathsAndFiles(small, without('close-things.step.ts'))).toHaveLength(1);
    expect(pathsAndFiles(small, [])).toEqual([]);
  });

  it('named: a planted path that stands in no door, that is declared twice, or that is too long', () => {
    const long = {
      ...small.paths[0],
      name: 'long',
      owner: 'runtime',
      steps: Array.from({ length: 11 }, (_, i) => `read con_thing#a${'b'.repeat(i)}` as const),
    };
    const found = pathsAndDoors({ ...small, paths: [...small.paths, ...small.paths.slice(0, 1), long as Model['paths'][number]] });
    expect(found).toContain('path long of runtime stands in no door');
    expect(found).toContain('path close-things is declared more than once');
    expect(found).toContain('path long always has 11 statements, at most 10');
  });

  it('named: a planted door that lists more than twenty, other than its entry says, and an entry that none needs', () => {
    const listing = (count: number) => {
      const steps = Array.from({ length: count }, (_, i) => `read con_thing#a${'b'.repeat(i)}?` as const);
      const path = writePaths({ p: { code: '', about: '', again: '', steps } });
      return Object.values(doors(path, { long: { paths: ['p'], by: [] } })).map((door) => ({ ...door, owner: 'connector' }));
    };
    const planted = (count: number, entries: readonly (readonly [string, number])[]) =>
      longDoors({ doors: listing(count) }, new Map(entries));
    expect(planted(20, [])).toEqual([]);
    expect(planted(21, [])).toEqual(['door long lists 21 statements, at most 20']);
    expect(planted(21, [['long', 21]])).toEqual([]);
    expect(planted(22, [['long', 21]])).toEqual(['door long lists 22 statements, its entry says 21']);
    expect(planted(21, [['long', 22]])).toEqual(['door long lists 21 statements, its entry says 22']);
    expect(planted(20, [['long', 21]])).toEqual(['door long lists 20 statements and needs no entry any more']);
    expect(planted(20, [['gone', 21]])).toEqual(['no door is called gone']);
  });

  it('named: a planted header that leaves out a path', () => {
    expect(headers(small, [at('both.tx.ts', '/** OPN and close-things */')])).toEqual([]);
    expect(headers(small, [at('both.tx.ts', '/** OPN */ // close-things')])).toEqual([
      'libs/connector/src/transitions/both.tx.ts: its header does not name close-things',
    ]);
  });

  it('named: a planted service that opens a door of another, or runs a step', () => {
    const opens = (service: string, what: string) =>
      doorUsers(small, [
        ...whole,
        planted(`libs/services/${service}/src/loop.ts`, `import { x } from '@connector/connector/transitions/${what}';`),
      ]);
    expect(opens('egress-adapter', 'both.tx')).toEqual([]);
    expect(opens('ingress', 'both.tx')).toEqual(['libs/services/ingress/src/loop.ts opens both, which is for egress']);
    expect(opens('egress-adapter', 'a/open-things.step')).toEqual([
      'libs/services/egress-adapter/src/loop.ts runs the step open-things outside its door',
    ]);
  });

  it('one each: every path and every door has its file, and the reverse (con:INV-04)', async () => {
    expect(pathsAndFiles(await model(), repository())).toEqual([]);
  });

  it('one each: every path is declared once, stands in a door and is short', async () => {
    expect(pathsAndDoors(await model())).toEqual([]);
  });

  it('twenty: every door lists no more, or exactly what its entry says', async () => {
    expect(longDoors(await model())).toEqual([]);
  });

  it('named: every door says in its header which paths it carries', async () => {
    expect(headers(await model(), repository())).toEqual([]);
  });

  it('none: no service opens a door that is not for its database user (con:INV-04)', async () => {
    expect(doorUsers(await model(), repository())).toEqual([]);
  });
});
