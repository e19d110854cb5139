import type { Digest } from '@connector/kernel/digest';
import type { BindingKind } from '@connector/kernel/document-binding';
import type { PackManifest } from './documents';

/** A generation to compare: its manifest, and the digest that it has. */
export interface ComparedPack {
  readonly manifest: PackManifest;
  readonly payloadDigest: Digest;
}

/** What names a definition to a binding; the bytes behind it are told by its digest. */
export interface DefinitionName {
  readonly kind: BindingKind;
  readonly businessKey: string;
  readonly definitionVersion: string;
}
export type PackDiff =
  | { readonly kind: 'same' }
  /** Two packs, not two generations of one. */
  | { readonly kind: 'other-pack' }
  | {
      readonly kind: 'differs';
      /** The version label is used by the other bytes, so the registry refuses these. */
      readonly versionTaken: boolean;
      readonly added: readonly DefinitionName[];
      readonly gone: readonly DefinitionName[];
      /** The same name with other bytes behind it. */
      readonly changed: readonly DefinitionName[];
      readonly unchanged: number;
    };

/** What bindings of the first would find in the second. A definition under another version is another name: one is gone, one is new. */
export function diffPacks(from: ComparedPack, to: ComparedPack): PackDiff {
  if (from.payloadDigest === to.payloadDigest) return { kind: 'same' };
  if (from.manifest.owner_pack !== to.manifest.owner_pack) return { kind: 'other-pack' };
  const [before, after] = [byName(from.manifest), byName(to.manifest)];
  const both = [...before].filter(([name]) => after.has(name));
  const changed = both.filter(([name, entry]) => after.get(name)?.canonical_definition_digest !== entry.canonical_definition_digest);
  return {
    kind: 'differs',
    versionTaken: from.manifest.pack_version === to.manifest.pack_version,
    added: [...after].filter(([name]) => !before.has(name)).map(nameOf),
    gone: [...before].filter(([name]) => !after.has(name)).map(nameOf),
    changed: changed.map(nameOf),
    unchanged: both.length - changed.length,
  };
}

type Entry = PackManifest['definitions'][number];

function byName({ definitions }: PackManifest): ReadonlyMap<string, Entry> {
  return new Map(definitions.map((entry) => [JSON.stringify([entry.kind, entry.business_key, entry.definition_version]), entry]));
}

function nameOf([, entry]: readonly [string, Entry]): DefinitionName {
  return { kind: entry.kind, businessKey: entry.business_key, definitionVersion: entry.definition_version };
}
