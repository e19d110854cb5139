import type { AppId } from './identifier';
import { inRange, parseSemver } from './semver';

/** One dependency as its manifest states it: the versions are canonical. */
export interface DependencyRange {
  readonly app_id: AppId;
  readonly minimum_version_inclusive: string;
  readonly maximum_version_exclusive: string;
}
export interface DependingRelease {
  readonly appId: AppId;
  readonly semanticVersion: string;
  readonly dependencies: readonly DependencyRange[];
}

function admits({ minimum_version_inclusive: min, maximum_version_exclusive: max }: DependencyRange, version: string): boolean {
  const [parsed, least, most] = [version, min, max].map(parseSemver);
  return parsed !== undefined && least !== undefined && most !== undefined && inRange(parsed, least, most);
}

/**
 * The Apps on a way from `release` back to itself, over the registered releases that are in range of each dependency; undefined where there is
 * none (cat:MAN-27, cat:A-15). Every release is walked once, so the work is linear in what is registered.
 */
export function cycleThrough(
  release: DependingRelease,
  registered: ReadonlyMap<AppId, readonly DependingRelease[]>,
): readonly AppId[] | undefined {
  const walked = new Set<DependingRelease>();
  const ways: { readonly at: DependingRelease; readonly way: readonly AppId[] }[] = [{ at: release, way: [release.appId] }];
  for (let next = ways.pop(); next !== undefined; next = ways.pop()) {
    for (const dependency of next.at.dependencies) {
      const way = [...next.way, dependency.app_id];
      if (dependency.app_id === release.appId && admits(dependency, release.semanticVersion)) return way;
      for (const found of registered.get(dependency.app_id) ?? []) {
        if (walked.has(found) || !admits(dependency, found.semanticVersion)) continue;
        walked.add(found);
        ways.push({ at: found, way });
      }
    }
  }
  return undefined;
}
