import type { Digest } from '@connector/kernel/digest';
import type { PositionKind, SourcePosition } from './position';

/** con:OCON-F: what L0 knows of a contract, the closed generic shape; how a position is read from an item is L1's (con:ORD-07). */
export type OrderingContract = OrderIndependent | LaneContract;
export type LaneContract = LatestPosition | StrictSequence;

/** Bypasses every lane (con:ORD-12). */
export interface OrderIndependent {
  readonly kind: 'order_independent';
}

interface Ordered {
  readonly digest: Digest;
  readonly positionKind: PositionKind;
  /** Application outcomes that hold the lane instead of moving its high-water (con:OPEN-18). */
  readonly holdOn: readonly HoldingOutcome[];
}

export interface LatestPosition extends Ordered {
  readonly kind: 'latest_source_position';
  /** How long a position waits for a greater one, ms. */
  readonly settleMs: number;
}

export interface StrictSequence extends Ordered {
  readonly kind: 'strict_source_sequence';
  /** Where every lane begins (decisions 13.5). */
  readonly start: SourcePosition;
  /** From when a missing position is first seen, ms, and what happens then. */
  readonly gapMs: number;
  readonly gapThen: GapDisposition;
}

/** `applied` and `noop` always move the high-water. */
export const HOLDING_OUTCOMES = ['rejected', 'failed'] as const;
export type HoldingOutcome = (typeof HOLDING_OUTCOMES)[number];

/** con:OPEN-19: the execution behind the gap is quarantined and its lane held, or the lane goes on behind the gap, which is recorded. */
export const GAP_DISPOSITIONS = ['quarantine', 'skip'] as const;
export type GapDisposition = (typeof GAP_DISPOSITIONS)[number];

/** As a lane row keeps it: words in their order, one blank between. */
export const holdOnText = (outcomes: readonly HoldingOutcome[]): string =>
  HOLDING_OUTCOMES.filter((one) => outcomes.includes(one)).join(' ');
export const holds = (holdOn: string, outcome: string): outcome is HoldingOutcome => outcome !== '' && holdOn.split(' ').includes(outcome);
