import { cycleThrough, type DependingRelease } from './dependency-cycle';
import { AppId } from './identifier';

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
});
