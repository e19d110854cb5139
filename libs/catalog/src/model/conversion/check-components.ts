import { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import type { MetadataBundle } from '../bundle';
import { failed } from '../installation/asked';
import { componentDigest, componentId } from '../release-digests';
import type { LegacySource } from './check-source';
import type { LegacyComponent, LegacyRow } from './legacy-pack';
import type { LegacyMapping } from './mapping';

const fault = (rule: string, code: string, expected: string, found: string): DocumentFault =>
  failed(rule, '/app_release_digest', code, expected, found);
const nameOf = ({ kind, businessKey }: Pick<LegacyRow, 'kind' | 'businessKey'>): string => `${kind} ${businessKey}`;

interface Converted {
  readonly legacy: LegacyComponent;
  readonly componentId: Digest;
  readonly contentDigest: Digest;
}

/** Proof 2: one component of the App for each of the pack, and none besides (cat:CONV-12). Proof 3, of the content (cat:CONV-13). */
export function componentFaults(
  { pack }: LegacySource,
  { kinds }: LegacyMapping,
  { components }: MetadataBundle,
): readonly DocumentFault[] {
  const faults: DocumentFault[] = [];
  const converted = new Map<Digest, Converted>();
  for (const legacy of pack.components) {
    const rule = kinds.find(({ legacy_kind: kind }) => kind === legacy.kind);
    if (rule === undefined) {
      faults.push(fault('CONV-12', 'LEGACY_KIND_UNKNOWN', 'a kind that the mapping converts', nameOf(legacy)));
      continue;
    }
    const id = componentId(rule.namespace_id, rule.component_kind, legacy.businessKey);
    if (converted.has(id)) faults.push(fault('CONV-12', 'COMPONENT_TWICE', `one component for ${id}`, nameOf(legacy)));
    const contentDigest = componentDigest(rule.component_kind, rule.component_format_version, legacy.bytes);
    converted.set(id, { legacy, componentId: id, contentDigest });
  }
  const packaged = new Map(components.map((component) => [component.component_id, component.content_digest]));
  for (const { legacy, componentId: id, contentDigest } of converted.values()) {
    const found = packaged.get(id);
    if (found === undefined) faults.push(fault('CONV-12', 'COMPONENT_LOST', `${id} for ${nameOf(legacy)}`, 'none'));
    else if (found !== contentDigest) faults.push(fault('CONV-13', 'COMPONENT_DIFFERS', `${contentDigest} of ${nameOf(legacy)}`, found));
  }
  const added = components.filter(({ component_id: id }) => !converted.has(id));
  return [...faults, ...added.map(({ component_id: id }) => fault('CONV-12', 'COMPONENT_ADDED', 'a component of the pack', id))];
}

/** Proof 3: the rest of the legacy world has the same components on record, under the same keys and owner, with the same content (cat:CONV-13). */
export function rowFaults({ pack, manifest }: LegacySource): readonly DocumentFault[] {
  const wanted = new Map(pack.components.map((one) => [nameOf(one), `${Digest.sha256(one.bytes)} of ${manifest.name}`]));
  return [
    ...differences('metadata row', wanted, pack.metadataRows),
    ...differences('runtime declaration', wanted, pack.runtimeDeclarations),
  ];
}

function differences(what: string, wanted: ReadonlyMap<string, string>, rows: readonly LegacyRow[]): readonly DocumentFault[] {
  const found = new Map<string, string>();
  for (const row of rows) {
    const [before, now] = [found.get(nameOf(row)), `${row.contentDigest} of ${row.owner}`];
    // Of a row that is there twice neither is the one that counts.
    found.set(nameOf(row), before === undefined ? now : `${before}, ${now}`);
  }
  const names = [...new Set([...wanted.keys(), ...found.keys()])];
  return names
    .filter((name) => wanted.get(name) !== found.get(name))
    .map((name) =>
      failed(
        'CONV-13',
        '/pack_install_id',
        'LEGACY_ROW_DIFFERS',
        `${what} ${name}: ${wanted.get(name) ?? 'none'}`,
        found.get(name) ?? 'none',
      ),
    );
}
