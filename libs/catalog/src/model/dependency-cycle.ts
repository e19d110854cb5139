import type { AppId } from './identifier';
import { compareCore, compareSemver, inRange, parseSemver, type Semver } from './semver';

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

interface Bounds {
  readonly min: Semver;
  readonly max: Semver;
}

function boundsOf({ minimum_version_inclusive: least, maximum_version_exclusive: most }: DependencyRange): Bounds | undefined {
  const [min, max] = [parseSemver(least), parseSemver(most)];
  return min && max && { min, max };
}

/** The releases of one App by version, each handed out once: what a range admits lies together, and what was handed out is stepped over. */
class Shelf {
  private readonly sorted: readonly { readonly release: DependingRelease; readonly version: Semver }[];
  /** For every place the next one, from itself on, that was not handed out. */
  private readonly next: number[];

  constructor(releases: readonly DependingRelease[]) {
    this.sorted = releases
      .flatMap((release) => {
        const version = parseSemver(release.semanticVersion);
        return version === undefined ? [] : [{ release, version }];
      })
      .sort((left, right) => compareSemver(left.version, right.version));
    this.next = Array.from({ length: this.sorted.length + 1 }, (_, place) => place);
  }

  take({ min, max }: Bounds): readonly DependingRelease[] {
    const end = this.first((version) => compareCore(version, max) >= 0);
    const taken: DependingRelease[] = [];
    for (let at = this.free(this.first((version) => compareSemver(version, min) >= 0)); at < end; at = this.free(at)) {
      const found = this.sorted[at];
      if (found !== undefined) taken.push(found.release);
      this.next[at] = at + 1;
    }
    return taken;
  }

  /** The first place from which on it holds. */
  private first(holds: (version: Semver) => boolean): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const found = this.sorted[middle];
      if (found === undefined || holds(found.version)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private free(from: number): number {
    let end = from;
    for (let next = this.next[end]; next !== undefined && next !== end; next = this.next[end]) end = next;
    // Who comes this way again goes straight there.
    for (let at = from; at < end;) {
      const next = this.next[at] ?? end;
      this.next[at] = end;
      at = next;
    }
    return end;
  }
}

interface Step {
  readonly at: DependingRelease;
  readonly from: Step | undefined;
}

function wayOf(last: Step, back: AppId): readonly AppId[] {
  const way = [back];
  for (let step: Step | undefined = last; step !== undefined; step = step.from) way.push(step.at.appId);
  return way.reverse();
}

/**
 * The Apps on a way from `release` back to itself, over the registered releases that are in range of each dependency; undefined where there is
 * none (cat:MAN-27, cat:A-15). Every release is walked once and no range looks at one that it does not admit, so the work is that of reading what
 * is registered.
 */
export function cycleThrough(
  release: DependingRelease,
  registered: ReadonlyMap<AppId, readonly DependingRelease[]>,
): readonly AppId[] | undefined {
  const own = parseSemver(release.semanticVersion);
  const shelves = new Map([...registered].map(([appId, releases]) => [appId, new Shelf(releases)]));
  const steps: Step[] = [{ at: release, from: undefined }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    for (const dependency of step.at.dependencies) {
      const bounds = boundsOf(dependency);
      if (bounds === undefined) continue;
      const isBack = own !== undefined && dependency.app_id === release.appId && inRange(own, bounds.min, bounds.max);
      if (isBack) return wayOf(step, release.appId);
      for (const at of shelves.get(dependency.app_id)?.take(bounds) ?? []) steps.push({ at, from: step });
    }
  }
  return undefined;
}
