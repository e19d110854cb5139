import type { Digest } from '@connector/kernel/digest';
import type { ComponentDescriptor } from './bundle';
import { SLOT_KIND } from './component-kinds';
import type { FaultSink } from './faults';
import type { ManifestNames } from './manifest-rules';
import { componentId } from './release-digests';
import { isDigest, isObject } from './rules';
import type { TargetKind } from './slot';

/** A descriptor whose own shape is whole, and where it stands. */
export interface PlacedDescriptor {
  readonly descriptor: ComponentDescriptor;
  readonly at: string;
}

/** Every component that the bundle names, faulty descriptors too: a reference to one of those is not wrong for that. */
export function componentsOf(bundle: unknown): ReadonlyMap<Digest, 'slot' | 'ordinary'> {
  const components = isObject(bundle) && Array.isArray(bundle['components']) ? bundle['components'] : [];
  const found = new Map<Digest, 'slot' | 'ordinary'>();
  for (const node of components) {
    const name: unknown = isObject(node) ? node['component_id'] : undefined;
    if (isDigest(name)) found.set(name, isObject(node) && node['component_kind'] === SLOT_KIND ? 'slot' : 'ordinary');
  }
  return found;
}

/** What one descriptor says of itself, of the manifest and of its neighbours (cat:BUN-03, BUN-17 to BUN-19). */
export function checkDescriptor({ descriptor, at }: PlacedDescriptor, names: ManifestNames, targetKind: TargetKind, sink: FaultSink): void {
  const { component_id: own, namespace_id: namespace } = descriptor;
  const derived = componentId(namespace, descriptor.component_kind, descriptor.business_key);
  if (own !== derived) sink(`${at}/component_id`, 'COMPONENT_ID_MISMATCH', 'BUN-03', derived, own);
  if (names.namespaces?.has(namespace) === false) {
    sink(`${at}/namespace_id`, 'NAMESPACE_NOT_OWNED', 'BUN-19', 'a namespace that the manifest owns', namespace);
  }
  for (const [index, target] of descriptor.local_dependencies.entries()) {
    const known = target !== own && targetKind(target) !== undefined;
    if (!known) sink(`${at}/local_dependencies/${index}`, 'LOCAL_REF', 'BUN-17', 'another component of this bundle', target);
  }
  for (const [index, ref] of descriptor.external_component_refs.entries()) {
    if (names.aliases?.has(ref.dependency_alias) !== false) continue;
    const pointer = `${at}/external_component_refs/${index}/dependency_alias`;
    sink(pointer, 'EXTERNAL_ALIAS', 'BUN-18', 'an alias that the manifest declares', ref.dependency_alias);
  }
}

/** cat:SLOT-07: two namespaces give two component IDs, so the order of components cannot see it. */
export function checkSlotKeysOnce(descriptors: readonly PlacedDescriptor[], sink: FaultSink): void {
  const seen = new Set<string>();
  for (const { descriptor, at } of descriptors) {
    if (descriptor.component_kind !== SLOT_KIND) continue;
    const key = descriptor.business_key;
    if (seen.has(key)) sink(`${at}/business_key`, 'SLOT_KEY', 'SLOT-07', 'one declaration of a key in all namespaces', key);
    seen.add(key);
  }
}

interface Visit {
  readonly node: PlacedDescriptor;
  /** The next dependency to look at. */
  next: number;
}

/**
 * cat:A-15: every dependency that closes a cycle. Depth first over a list of its own, because a chain of ten thousand components would not fit
 * the call stack. A component that depends on itself has been refused before.
 */
export function checkAcyclic(descriptors: readonly PlacedDescriptor[], sink: FaultSink): void {
  const byId = new Map(descriptors.map((node) => [node.descriptor.component_id, node]));
  const open = new Set<Digest>();
  const done = new Set<Digest>();
  for (const root of byId.values()) {
    const path: Visit[] = [];
    const enter = (node: PlacedDescriptor): void => {
      open.add(node.descriptor.component_id);
      path.push({ node, next: 0 });
    };
    if (!done.has(root.descriptor.component_id)) enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { component_id: own, local_dependencies: wanted } = top.node.descriptor;
      const index = top.next++;
      const target = wanted[index];
      if (target === undefined) {
        open.delete(own);
        done.add(own);
        path.pop();
      } else if (target !== own && open.has(target)) {
        sink(`${top.node.at}/local_dependencies/${index}`, 'DEPENDENCY_CYCLE', 'A-15', 'no way back to this component', target);
      } else {
        const child = byId.get(target);
        if (child !== undefined && target !== own && !done.has(target)) enter(child);
      }
    }
  }
}
