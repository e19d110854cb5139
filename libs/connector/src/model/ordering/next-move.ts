import type { Instant } from '@connector/kernel/brand';
import type { ExecutionId } from '@connector/kernel/ids';
import type { DependencyState } from '../execution/dependency';
import { exactSuccessor, type LaneStand } from './lane';

/** An unfinished execution of a lane. */
export interface Waiting {
  readonly executionId: ExecutionId;
  readonly position: Buffer;
}

/** What was written down of the exact successor when it was found missing. */
export interface KnownGap {
  readonly state: DependencyState;
  readonly deadline: Instant;
  /** Whether the deadline lies behind the database's clock. */
  readonly passed: boolean;
}

export type LaneMove =
  | { readonly kind: 'claim' }
  /** Nothing stands before the lane but what it has passed. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'gap'; readonly missing: Buffer; readonly known: KnownGap | undefined };

/**
 * What an idle lane does next. `head` is the lowest position above the high-water in a strict lane, the greatest one in a latest lane. A
 * strict lane takes the exact successor and nothing else (con:ORD-14), or what stands behind a gap that its contract said to skip.
 */
export function nextMove(stand: LaneStand, head: Waiting | undefined, gap: KnownGap | undefined): LaneMove {
  if (head === undefined) return { kind: 'rest' };
  const missing = exactSuccessor(stand);
  if (missing === undefined || missing.equals(head.position)) return { kind: 'claim' };
  return gap?.state === 'expired' ? { kind: 'claim' } : { kind: 'gap', missing, known: gap };
}
