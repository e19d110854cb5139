import type { Instant } from '@connector/kernel/brand';
import type { LineageKind, LineageNode } from '@connector/connector/model/lineage/lineage';

/** A node without an id and without children. */
export function leaf(kind: LineageKind, text: string, state: string | null, at: Instant | null, note: string | null): LineageNode {
  return { kind, id: null, text, state, at, note, children: [], more: false };
}
