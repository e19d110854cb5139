import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import type { ExternalComponentRef, MetadataBundle } from '../bundle';
import type { AppDependency, AppManifest } from '../manifest';
import { componentId } from '../release-digests';
import { inRange, parseSemver } from '../semver';
import { type AskedInstallation, failed } from './asked';

/** A registered release that somebody named for an alias. */
export interface NamedRelease {
  readonly alias: string;
  readonly manifest: AppManifest;
  /** undefined where nothing of the candidate refers into it. */
  readonly componentIds: ReadonlySet<Digest> | undefined;
}

/** What is ACTIVE in the organization: the pins of its dependents are its resolved digests (cat:A-36). */
export interface ActiveApp {
  readonly appId: string;
  readonly appReleaseDigest: Digest;
  readonly dependsOn: readonly string[];
}

const at = (asked: AskedInstallation, alias: string): string =>
  `/dependencies/${asked.dependencies.findIndex((one) => one.alias === alias)}`;

/** cat:PREP-03, of what is registered for good: every declared alias resolves to one exact release, in range, with the capabilities. */
export function resolutionFaults(
  asked: AskedInstallation,
  { dependencies }: AppManifest,
  { components }: MetadataBundle,
  named: readonly NamedRelease[],
): readonly DocumentFault[] {
  const aliases = asked.dependencies.map(({ alias }) => alias);
  const undeclared = asked.dependencies.flatMap(({ alias }, place) => {
    if (aliases.indexOf(alias) !== place) return [failed('PREP-03', `/dependencies/${place}/alias`, 'DUPLICATE', 'each alias once', alias)];
    const known = dependencies.some((dependency) => dependency.alias === alias);
    return known
      ? []
      : [failed('PREP-03', `/dependencies/${place}/alias`, 'DEPENDENCY_UNDECLARED', 'an alias that the release declares', alias)];
  });
  const refs = components.flatMap(({ external_component_refs: external }) => external);
  const unresolved = dependencies.flatMap((dependency) => {
    if (!aliases.includes(dependency.alias))
      return [failed('PREP-03', '/dependencies', 'DEPENDENCY_MISSING', `a release for ${dependency.alias}`, 'none')];
    const release = named.find(({ alias }) => alias === dependency.alias);
    const pointer = at(asked, dependency.alias);
    return release === undefined
      ? [failed('PREP-03', pointer, 'DEPENDENCY_ABSENT', `a registered release of ${dependency.app_id}`, 'none')]
      : releaseFaults(dependency, release, refs, pointer);
  });
  return [...undeclared, ...unresolved];
}

function releaseFaults(
  dependency: AppDependency,
  { manifest, componentIds }: NamedRelease,
  refs: readonly ExternalComponentRef[],
  pointer: string,
): readonly DocumentFault[] {
  const { minimum_version_inclusive: low, maximum_version_exclusive: high, required_capabilities: required } = dependency;
  const [version, min, max] = [manifest.semantic_version, low, high].map(parseSemver);
  const fits = version !== undefined && min !== undefined && max !== undefined && inRange(version, min, max);
  const provided = manifest.provided_capabilities.map(({ capability_id: capability }) => capability);
  const lacking = required.filter((capability) => !provided.includes(capability));
  const dangling = refs.filter(
    (ref) =>
      ref.dependency_alias === dependency.alias &&
      componentIds?.has(componentId(ref.namespace_id, ref.component_kind, ref.business_key)) !== true,
  );
  return [
    ...(fits ? [] : [failed('PREP-03', pointer, 'DEPENDENCY_OUT_OF_RANGE', `${low} up to ${high}`, manifest.semantic_version)]),
    ...lacking.map((capability) => failed('PREP-03', pointer, 'DEPENDENCY_CAPABILITY', `a release that provides ${capability}`, 'none')),
    ...dangling.map((ref) =>
      failed('PREP-03', pointer, 'EXTERNAL_COMPONENT_ABSENT', `a component of kind ${ref.component_kind} in ${ref.namespace_id}`, 'none'),
    ),
  ];
}

/** cat:PREP-03, of what the organization runs: each dependency is ACTIVE there as the named release, and no way goes back (cat:A-15). */
export function activeFaults(
  asked: AskedInstallation,
  { dependencies }: AppManifest,
  active: readonly ActiveApp[],
): readonly DocumentFault[] {
  const byApp = new Map(active.map((app) => [app.appId, app]));
  return dependencies.flatMap(({ alias, app_id: appId }) => {
    const wanted = asked.dependencies.find((one) => one.alias === alias)?.appReleaseDigest;
    if (wanted === undefined) return [];
    const pointer = at(asked, alias);
    if (reaches(byApp, appId, asked.appId))
      return [failed('PREP-03', pointer, 'DEPENDENCY_CYCLE', 'an App that does not depend on this one', appId)];
    const running = byApp.get(appId)?.appReleaseDigest;
    return running === wanted
      ? []
      : [failed('PREP-03', pointer, 'DEPENDENCY_NOT_ACTIVE', `${appId} ACTIVE as ${wanted}`, running ?? 'not installed')];
  });
}

/** Whether `from` is `to` or depends on it, over any number of Apps. */
function reaches(byApp: ReadonlyMap<string, ActiveApp>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const queue = [from];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(...(byApp.get(next)?.dependsOn ?? []));
  }
  return false;
}
