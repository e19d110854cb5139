import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { HOLDING_OUTCOMES, type OrderingContract } from '@connector/connector/model/ordering/contract';
import type { PositionKind } from '@connector/connector/model/ordering/position';
import type { Route } from '@connector/packs/engine/route';

const KIND = { u64: 'u64', text: 'bytes', instant: 'instant' } as const satisfies Record<string, PositionKind>;

/** What the engine of order knows of the contract that a pack states (con:ORD-07). The route was compiled: its lanes have a beginning. */
export function contractOf(stated: Route['ordering'], digest: Digest): OrderingContract {
  if (stated.kind === 'order_independent') return { kind: 'order_independent' };
  const { terminal, start } = stated;
  const holdOn = HOLDING_OUTCOMES.filter((outcome) => terminal[outcome] === 'hold');
  const shared = { digest, positionKind: KIND[stated.position.type], holdOn };
  if (stated.kind === 'latest_source_position') return { kind: stated.kind, ...shared, settleMs: stated.settle_ms };
  invariant(start !== undefined && start !== 'snapshot_barrier', 'HOUSE:epoch-view:LaneWithoutStart', 'a strict order has no beginning');
  const { after_ms: gapMs, then: gapThen } = stated.gap;
  return { kind: stated.kind, ...shared, start: { kind: 'u64', value: BigInt(start) }, gapMs, gapThen };
}
