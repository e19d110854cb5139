import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { InputFault } from '@connector/kernel/faults';
import { failed } from '../installation/asked';
import {
  type LegacyManifest,
  type LegacyPack,
  legacyPayloadHash,
  type LegacyRecord,
  type LegacyRef,
  readLegacyManifest,
} from './legacy-pack';
import type { LegacyMapping } from './mapping';

/** The one category that is converted (cat:CONV-01). */
const CONVERTED = 'app-pack';
/** What is asked of the legacy side, and how a person calls it. */
const ASKED: Readonly<Record<Exclude<keyof LegacyPack, keyof LegacyRef>, string>> = {
  sourceKind: 'source kind',
  sourceUri: 'source URI',
  sourceRevision: 'source revision',
  manifest: 'manifest bytes',
  components: 'component bytes',
  desiredPayloadHash: 'desired payload hash',
  appliedPayloadHash: 'applied payload hash',
  hostRequirementDigest: 'host requirement digest',
  runtimeDeclarations: 'runtime declarations',
  metadataRows: 'metadata rows',
};

export interface LegacySource {
  readonly pack: LegacyPack;
  readonly manifest: LegacyManifest;
}
export type CheckedSource =
  { readonly kind: 'source'; readonly source: LegacySource } | { readonly kind: 'faulty'; readonly faults: readonly DocumentFault[] };

const fault = (rule: string, code: string, expected: string, found: string): DocumentFault =>
  failed(rule, '/pack_install_id', code, expected, found);

/**
 * Proof 1, and what goes before it: exactly the row that was asked for, complete, of the one category and the one source that the mapping names;
 * wanted and applied are one and the source is what its hash says (cat:CONV-11). `appliedPayloadHash` is what the asker saw applied.
 */
export function checkSource(
  record: LegacyRecord,
  asked: LegacyRef & { readonly appliedPayloadHash: Digest },
  mapping: LegacyMapping,
): CheckedSource {
  const missing = Object.entries(ASKED).filter(([member]) => record[member as keyof LegacyRecord] === null);
  const other = record.organization !== asked.organization || record.packInstallId !== asked.packInstallId;
  if (missing.length > 0 || other) {
    const row = `${record.organization} ${record.packInstallId}`;
    return {
      kind: 'faulty',
      faults: [
        ...(other ? [fault('CONV-04', 'LEGACY_OTHER_ROW', `${asked.organization} ${asked.packInstallId}`, row)] : []),
        ...missing.map(([, name]) => fault('CONV-05', 'LEGACY_INPUT_MISSING', name, 'nothing')),
      ],
    };
  }
  const pack = record as LegacyPack;
  const manifest = readLegacyManifest(pack.manifest);
  if (manifest === undefined) return { kind: 'faulty', faults: [fault('CONV-11', 'LEGACY_MANIFEST', 'a pack manifest', 'other bytes')] };
  const faults = [...identityFaults(pack, manifest, mapping), ...hashFaults(pack, asked.appliedPayloadHash)];
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'source', source: { pack, manifest } };
}

function identityFaults(
  { sourceKind, sourceUri }: LegacyPack,
  { category }: LegacyManifest,
  { source }: LegacyMapping,
): readonly DocumentFault[] {
  const same = sourceKind === source.kind && sourceUri === source.uri;
  return [
    ...(category === CONVERTED ? [] : [fault('CONV-01', 'LEGACY_CATEGORY', CONVERTED, category)]),
    ...(same ? [] : [fault('CONV-02', 'LEGACY_OTHER_SOURCE', `${source.kind} ${source.uri}`, `${sourceKind} ${sourceUri}`)]),
  ];
}

function hashFaults(pack: LegacyPack, seen: Digest): readonly DocumentFault[] {
  const { desiredPayloadHash: desired, appliedPayloadHash: applied } = pack;
  const verified = verifiedHash(pack);
  return [
    ...(desired === applied ? [] : [fault('CONV-11', 'LEGACY_DIVERGES', `${applied} as it is applied`, desired)]),
    ...(verified === applied ? [] : [fault('CONV-11', 'LEGACY_UNVERIFIED', `${applied} over manifest and components`, verified ?? 'none')]),
    ...(seen === applied ? [] : [fault('CONV-08', 'LEGACY_MOVED', `${seen} applied`, applied)]),
  ];
}

/** undefined where the components are not told apart. */
export function verifiedHash(pack: Pick<LegacyPack, 'manifest' | 'components'>): Digest | undefined {
  try {
    return legacyPayloadHash(pack);
  } catch (error) {
    if (error instanceof InputFault) return undefined;
    throw error;
  }
}
