import type { Instant } from '@connector/kernel/brand';

/** One row of the tree. Every level holds at most 200 children; `more` says that there are others. */
export interface LineageNode {
  readonly kind: LineageKind;
  readonly id: string | null;
  readonly text: string;
  readonly state: string | null;
  readonly at: Instant | null;
  readonly note: string | null;
  readonly children: readonly LineageNode[];
  readonly more: boolean;
}
export type LineageKind =
  | 'receipt'
  | 'conflict'
  | 'refusal'
  | 'pending'
  | 'event'
  | 'repeated'
  | 'projection'
  | 'execution'
  | 'handover'
  | 'result'
  | 'command'
  | 'effect'
  | 'attempt'
  | 'link';

/** `connector.lineage/v1`: rows, not a trace (experience 0.6). Times are the database's. */
export interface Lineage {
  readonly schema: 'connector.lineage/v1';
  readonly asked: string;
  readonly root: LineageNode;
  readonly counts: LineageCounts;
  readonly epoch: string;
}

/** Of the events of this receipt; `waiting` are those whose chain still owes something. */
export interface LineageCounts {
  readonly events: number;
  readonly refused: number;
  /** Other bodies that came under the key of this receipt, were refused and are kept; not events. */
  readonly conflicts: number;
  readonly repeated: number;
  readonly waiting: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Every node of a tree, depth first. */
export function* nodesOf(node: LineageNode): Generator<LineageNode> {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}
