import type { DocumentFault } from '@connector/kernel/document-fault';
import { parseStrict } from '@connector/kernel/strict-json';
import { failed } from '../installation/asked';
import type { AppManifest } from '../manifest';
import { isObject } from '../rules';
import type { LegacySource } from './check-source';
import type { LegacyManifest } from './legacy-pack';
import { type FactKind, FACTS, type LegacyMapping } from './mapping';

const fault = (rule: string, code: string, expected: string, found: string): DocumentFault =>
  failed(rule, '/app_release_digest', code, expected, found);

const LEGACY: Readonly<Record<FactKind, (manifest: LegacyManifest) => readonly string[]>> = {
  dependency: ({ dependencies }) => dependencies,
  namespace: ({ namespaces }) => namespaces,
  compatibility: ({ compatibility }) => compatibility,
  capability: ({ capabilities }) => capabilities,
};
const TARGET: Readonly<Record<FactKind, (manifest: AppManifest) => readonly string[]>> = {
  dependency: ({ dependencies }) => dependencies.map(({ app_id: appId }) => appId),
  namespace: ({ owned_namespaces: namespaces }) => namespaces,
  compatibility: ({ required_protocols: protocols, required_engine_capabilities: engine }) => [
    ...protocols.map(({ protocol_id: protocol }) => protocol),
    ...engine,
  ],
  capability: ({ provided_capabilities: provided }) => provided.map(({ capability_id: capability }) => capability),
};
/** Members of an AppManifest: a behavior that has one states such a fact a second time. */
const STATED = ['dependencies', 'owned_namespaces', 'required_protocols', 'required_engine_capabilities', 'provided_capabilities'];

/** Proof 4: each fact of the legacy manifest is one fact of the App's manifest, which has no other ones, and stands nowhere else (cat:CONV-14). */
export function factFaults(
  { pack, manifest: legacy }: LegacySource,
  mapping: LegacyMapping,
  manifest: AppManifest,
): readonly DocumentFault[] {
  const copies = pack.components.flatMap(({ kind, businessKey, bytes }) => {
    const parsed = parseStrict(bytes);
    const value: unknown = parsed.ok ? parsed.value : undefined;
    const stated = isObject(value) ? STATED.filter((member) => member in value) : [];
    return stated.map((member) => fault('CONV-14', 'FACT_COPIED', 'facts in the manifest alone', `${member} in ${kind} ${businessKey}`));
  });
  return [...FACTS.flatMap((kind) => ofOneKind(kind, LEGACY[kind](legacy), mapping, TARGET[kind](manifest))), ...copies];
}

function ofOneKind(
  kind: FactKind,
  legacy: readonly string[],
  { facts }: LegacyMapping,
  target: readonly string[],
): readonly DocumentFault[] {
  const rows = facts.filter(({ fact }) => fact === kind);
  const targetsOf = (name: string): readonly string[] => rows.filter((row) => row.legacy === name).map((row) => row.target);
  const reached = legacy.flatMap(targetsOf);
  const unmapped = legacy.filter((name) => targetsOf(name).length !== 1);
  const twice = reached.filter((name, at) => reached.indexOf(name) !== at);
  const lost = reached.filter((name) => target.filter((one) => one === name).length !== 1);
  const added = target.filter((name) => !reached.includes(name));
  return [
    ...unmapped.map((name) => fault('CONV-14', 'FACT_UNMAPPED', `one target of ${kind} ${name}`, targetsOf(name).join(' ') || 'none')),
    ...twice.map((name) => fault('CONV-14', 'FACT_TWICE', `one ${kind} of the pack for ${name}`, 'two')),
    ...lost.map((name) => fault('CONV-14', 'FACT_LOST', `${kind} ${name} once in the manifest`, 'not once')),
    ...added.map((name) => fault('CONV-14', 'FACT_ADDED', `${kind} of the pack`, name)),
  ];
}

/** One owner a capability: what the App serves is in its manifest, and the frozen source is read for what it still owns alone (cat:COEX-02, cat:COEX-05). */
export function ownerFaults({ capabilities, legacy_readers: readers }: LegacyMapping, manifest: AppManifest): readonly DocumentFault[] {
  const provided = TARGET.capability(manifest);
  const ownerOf = new Map(capabilities.map(({ capability_id: capability, owner }) => [capability, owner]));
  const unowned = provided.filter((capability) => ownerOf.get(capability) !== 'app');
  const unserved = capabilities.filter(({ capability_id: capability, owner }) => owner === 'app' && !provided.includes(capability));
  const unnamed = capabilities.filter(({ owner, retained_by: by }) => (owner === 'retained') !== (by !== undefined));
  const unlisted = readers.filter(({ capability_id: capability }) => ownerOf.get(capability) !== 'legacy');
  return [
    ...unowned.map((capability) =>
      fault('COEX-05', 'CAPABILITY_TWO_OWNERS', `${capability} of the App`, ownerOf.get(capability) ?? 'nobody'),
    ),
    ...unserved.map(({ capability_id: capability }) => fault('COEX-05', 'CAPABILITY_UNSERVED', `${capability} in the manifest`, 'none')),
    ...unnamed.map(({ capability_id: capability }) =>
      fault('COEX-09', 'OWNER_UNNAMED', `retained_by with a retained owner: ${capability}`, 'not so'),
    ),
    ...unlisted.map(({ reader_id: reader, capability_id: capability }) =>
      fault('COEX-02', 'READER_OF_MIGRATED', `${reader} reads what the source still owns`, capability),
    ),
  ];
}
