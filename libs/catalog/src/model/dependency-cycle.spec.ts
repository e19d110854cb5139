import * as fc from 'fast-check';
import { cycleThrough, type DependingRelease } from './dependency-cycle';
import { AppId } from './identifier';
import { compareSemver, parseSemver } from './semver';

const app = (name: string): AppId => AppId.parse(`dev.example.${name}`);
const needs = (name: string, min = '1.0.0', max = '2.0.0') => ({
  app_id: app(name),
  minimum_version_inclusive: min,
  maximum_version_exclusive: max,
});
const release = (name: string, semanticVersion: string, ...dependencies: DependingRelease['dependencies']): DependingRelease => ({
  appId: app(name),
  semanticVersion,
  dependencies,
});
const registered = (...releases: readonly DependingRelease[]) =>
  new Map(releases.map(({ appId }) => [appId, releases.filter((one) => one.appId === appId)]));

describe('dependency cycle', () => {
  const closing = release('a', '1.0.0', needs('b'));

  it('none: nothing is registered, or what is depends on others', () => {
    expect(cycleThrough(closing, registered())).toBeUndefined();
    expect(cycleThrough(closing, registered(release('b', '1.0.0', needs('c')), release('c', '1.0.0')))).toBeUndefined();
  });

  it('named: the way over one App and over three (cat:MAN-27)', () => {
    expect(cycleThrough(closing, registered(release('b', '1.5.0', needs('a'))))).toEqual(['a', 'b', 'a'].map(app));
    const three = registered(release('b', '1.0.0', needs('c')), release('c', '1.0.0', needs('d')), release('d', '1.0.0', needs('a')));
    expect(cycleThrough(closing, three)).toEqual(['a', 'b', 'c', 'd', 'a'].map(app));
  });

  it('none: the release that leads back is out of range, or leads back to other versions', () => {
    expect(cycleThrough(closing, registered(release('b', '2.0.0', needs('a'))))).toBeUndefined();
    expect(cycleThrough(closing, registered(release('b', '1.0.0', needs('a', '1.0.1'))))).toBeUndefined();
  });

  it('none: a cycle that does not go through the release is walked once', () => {
    const beside = registered(release('b', '1.0.0', needs('c')), release('c', '1.0.0', needs('b')));
    expect(cycleThrough(closing, beside)).toBeUndefined();
  });

  it('none: a prerelease of the core that a range ends before, though it is lower (cat:A-12)', () => {
    for (const [version, min, max] of [
      ['2.0.0-rc.1', '1.0.0', '2.0.0'],
      ['2.0.0-a', '2.0.0-a', '2.0.0-b'],
    ] as const)
      expect(cycleThrough(release('a', '1.0.0', needs('b', min, max)), registered(release('b', version, needs('a'))))).toBeUndefined();
    const through = registered(release('b', '1.0.0-rc.1', needs('a')));
    expect(cycleThrough(release('a', '1.0.0', needs('b', '1.0.0-rc.1')), through)).toEqual(['a', 'b', 'a'].map(app));
  });

  it('the same answer as one look at every release for every dependency, for any registered releases', () => {
    const version = fc
      .tuple(fc.nat(2), fc.nat(2), fc.constantFrom('', '-a', '-b'))
      .map(([major, minor, tail]) => `${major}.${minor}.0${tail}`);
    const dependency = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), version, version).map(([name, min, max]) => needs(name, min, max));
    const one = fc.tuple(fc.constantFrom('b', 'c', 'd'), version, fc.array(dependency, { minLength: 1, maxLength: 3 }));
    const many = fc.uniqueArray(one, { maxLength: 14, selector: ([name, at]) => `${name} ${at}` });
    let cycles = 0;
    fc.assert(
      fc.property(version, fc.array(dependency, { minLength: 1, maxLength: 3 }), many, (own, wanted, others) => {
        const all = registered(...others.map(([name, at, needed]) => release(name, at, ...needed)));
        const found = cycleThrough(release('a', own, ...wanted), all);
        expect(found !== undefined).toBe(comesBack(release('a', own, ...wanted), all));
        if (found !== undefined) cycles += 1;
      }),
      { seed: 20_260_728, numRuns: 3_000 },
    );
    expect(cycles).toBeGreaterThan(200);
  });

  it('none, within a second: five Apps of a thousand releases, and five more that each of those wants in a range where none is', () => {
    const releases = (index: number, ...wanted: DependingRelease['dependencies']) =>
      Array.from({ length: 1_000 }, (_, minor) => release(`x${index}`, `1.${minor}.0`, ...wanted));
    const barren = [5, 6, 7, 8, 9].map((index) => needs(`x${index}`, '7.0.0', '8.0.0'));
    const all = new Map(
      Array.from({ length: 10 }, (_, index) => [app(`x${index}`), index < 5 ? releases(index, ...barren) : releases(index)] as const),
    );
    const wanting = release('a', '1.0.0', ...[0, 1, 2, 3, 4].map((index) => needs(`x${index}`)));
    const began = process.cpuUsage();
    expect(cycleThrough(wanting, all)).toBeUndefined();
    expect(process.cpuUsage(began).user / 1e3).toBeLessThan(1_000);
  });
});

/** What the walk answers, found without its order, its shelves or its memory of what it walked. */
function comesBack(from: DependingRelease, all: ReadonlyMap<AppId, readonly DependingRelease[]>): boolean {
  const admits = (range: DependingRelease['dependencies'][number], version: string): boolean => {
    const [at, min, max] = [version, range.minimum_version_inclusive, range.maximum_version_exclusive].map((text) => parseSemver(text));
    if (at === undefined || min === undefined || max === undefined) throw new Error('no version');
    const isBelow = at.prerelease.length > 0 && at.core.join() === max.core.join() ? false : compareSemver(at, max) < 0;
    return isBelow && compareSemver(at, min) >= 0;
  };
  let reached = new Set([from]);
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    const targets = [...all.values()].flat();
    const wanted = [...reached].flatMap((one) => one.dependencies);
    if (wanted.some((range) => range.app_id === from.appId && admits(range, from.semanticVersion))) return true;
    const next = targets.filter((one) => wanted.some((range) => range.app_id === one.appId && admits(range, one.semanticVersion)));
    reached = new Set([...reached, ...next]);
  }
  return false;
}
