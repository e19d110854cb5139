import type { Digest } from '@connector/kernel/digest';
import { jcs, type Json } from '@connector/kernel/jcs';
import type { MetadataBundle } from './bundle';
import { SLOT_KIND } from './component-kinds';
import type { AppManifest } from './manifest';

/** A release to compare, wherever its documents came from. */
export interface ComparedRelease {
  readonly releaseDigest: Digest;
  readonly manifest: AppManifest;
  readonly bundle: MetadataBundle;
}

/** Names of what came, what went, and what stands under its name and says something else; each in the order of its release. */
export interface NamesDiff {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  readonly changed: readonly string[];
}

/** What a release is made of, in the order in which an installation meets it. */
export const RELEASE_PARTS = [
  'dependencies',
  'required_protocols',
  'required_engine_capabilities',
  'owned_namespaces',
  'provided_capabilities',
  'frontend',
  'components',
  'slots',
] as const;
export type ReleasePart = (typeof RELEASE_PARTS)[number];

export type ReleaseDiff =
  | { readonly kind: 'same' }
  /** Two Apps, not two releases of one. */
  | { readonly kind: 'other-app' }
  | {
      readonly kind: 'differs';
      /** The version names the other bytes for ever, so the registry refuses these (cat:REG-02). */
      readonly versionTaken: boolean;
      readonly parts: Readonly<Record<ReleasePart, NamesDiff>>;
    };

/** What an installation of the first would meet in the second. Pure; equal digests are equal releases (cat:DIG-11). */
export function diffReleases(from: ComparedRelease, to: ComparedRelease): ReleaseDiff {
  if (from.manifest.app_id !== to.manifest.app_id) return { kind: 'other-app' };
  if (from.releaseDigest === to.releaseDigest) return { kind: 'same' };
  const [before, after] = [partsOf(from), partsOf(to)];
  return {
    kind: 'differs',
    versionTaken: from.manifest.semantic_version === to.manifest.semantic_version,
    parts: {
      dependencies: namesDiff(before.dependencies, after.dependencies),
      required_protocols: namesDiff(before.required_protocols, after.required_protocols),
      required_engine_capabilities: namesDiff(before.required_engine_capabilities, after.required_engine_capabilities),
      owned_namespaces: namesDiff(before.owned_namespaces, after.owned_namespaces),
      provided_capabilities: namesDiff(before.provided_capabilities, after.provided_capabilities),
      frontend: namesDiff(before.frontend, after.frontend),
      components: namesDiff(before.components, after.components),
      slots: namesDiff(before.slots, after.slots),
    },
  };
}

type Named = ReadonlyMap<string, Json>;

function partsOf({ manifest, bundle }: ComparedRelease): Readonly<Record<ReleasePart, Named>> {
  const { frontend_compatibility: frontend } = manifest;
  const isSlot = ({ component_kind: kind }: MetadataBundle['components'][number]): boolean => kind === SLOT_KIND;
  const named = (components: MetadataBundle['components']): Named => new Map(components.map((one) => [nameOf(one), { ...one }]));
  return {
    dependencies: new Map(manifest.dependencies.map((one) => [`${one.alias} (${one.app_id})`, { ...one }])),
    required_protocols: new Map(manifest.required_protocols.map((one) => [one.protocol_id, { ...one }])),
    required_engine_capabilities: new Map(manifest.required_engine_capabilities.map((one) => [one, one])),
    owned_namespaces: new Map(manifest.owned_namespaces.map((one) => [one, one])),
    provided_capabilities: new Map(manifest.provided_capabilities.map((one) => [one.capability_id, { ...one }])),
    frontend: new Map(frontend.mode === 'none' ? [] : [['required', { ...frontend }]]),
    components: named(bundle.components.filter((one) => !isSlot(one))),
    slots: named(bundle.components.filter(isSlot)),
  };
}

/** By what its ID is made of, in words (cat:BUN-03). */
const nameOf = ({ namespace_id: namespace, component_kind: kind, business_key: key }: MetadataBundle['components'][number]): string =>
  `${namespace} ${kind} ${key}`;

function namesDiff(before: Named, after: Named): NamesDiff {
  const other = (name: string, value: Json): boolean => {
    const now = after.get(name);
    return now !== undefined && !jcs(now).equals(jcs(value));
  };
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    gone: [...before.keys()].filter((name) => !after.has(name)),
    changed: [...before].filter(([name, value]) => other(name, value)).map(([name]) => name),
  };
}
