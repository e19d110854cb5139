import { Digest } from '@connector/kernel/digest';
import { documentDigest, documentKind } from '@connector/kernel/document';
import { inKeyOrder } from '@connector/kernel/document-order';
import { closed, listOf, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import { jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';

/** Which row of the legacy world: the incarnation tells apart what was installed twice, and is no identity of an App (cat:CONV-04). */
export interface LegacyRef {
  readonly organization: string;
  readonly packInstallId: string;
}

export interface LegacyComponent {
  readonly kind: string;
  readonly businessKey: string;
  /** Behavior as canonical JSON. */
  readonly bytes: Buffer;
}

/** A component as another part of the legacy world has it on record. */
export interface LegacyRow {
  readonly kind: string;
  readonly businessKey: string;
  /** The name of the pack. */
  readonly owner: string;
  /** SHA-256 of the component's bytes. */
  readonly contentDigest: Digest;
}

/** Everything that a conversion is told by the legacy side (cat:CONV-05). */
export interface LegacyPack extends LegacyRef {
  readonly sourceKind: string;
  readonly sourceUri: string;
  readonly sourceRevision: string;
  readonly manifest: Buffer;
  readonly components: readonly LegacyComponent[];
  readonly desiredPayloadHash: Digest;
  readonly appliedPayloadHash: Digest;
  readonly hostRequirementDigest: Digest;
  readonly runtimeDeclarations: readonly LegacyRow[];
  readonly metadataRows: readonly LegacyRow[];
}

/** A row as it stands: what the legacy side never wrote is null. */
export type LegacyRecord = LegacyRef & { readonly [K in Exclude<keyof LegacyPack, keyof LegacyRef>]: LegacyPack[K] | null };

const LIST_MAX = 1000;
const names = listOf(TEXT, LIST_MAX);
const manifestShape = closed({
  name: TEXT,
  category: TEXT,
  version: TEXT,
  dependencies: names,
  namespaces: names,
  compatibility: names,
  capabilities: names,
});
/** What is asked of a PackManifest: who it is of, and the facts that an AppManifest states after it. */
export type LegacyManifest = TypeOf<typeof manifestShape>;
const manifestDocument = documentKind<LegacyManifest>({
  name: 'legacy manifest',
  separator: 'nexuscrm.legacy-pack-manifest.v1',
  shape: manifestShape,
});

/** undefined where the bytes are no such manifest; its layout is free. */
export function readLegacyManifest(bytes: Buffer): LegacyManifest | undefined {
  const parsed = parseStrict(bytes);
  if (!parsed.ok) return undefined;
  try {
    return manifestDocument.parse(jcs(parsed.value)).value;
  } catch (error) {
    if (error instanceof InputFault) return undefined;
    throw error;
  }
}

/** Over manifest and components as they are; the profile is ours. InputFault where a component is there twice. */
export function legacyPayloadHash({ manifest, components }: Pick<LegacyPack, 'manifest' | 'components'>): Digest {
  const rows = inKeyOrder(components, ({ kind, businessKey }) => [kind, businessKey]);
  const payload = {
    manifest: Digest.sha256(manifest),
    components: rows.map(({ kind, businessKey, bytes }) => ({ kind, business_key: businessKey, sha256: Digest.sha256(bytes) })),
  };
  return documentDigest('nexuscrm.legacy-pack-payload.v1', jcs(payload));
}
