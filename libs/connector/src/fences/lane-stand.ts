import type { Place } from '../model/ordering/position';
import type { LaneStand } from '../model/ordering/lane';

interface LaneFacts {
  readonly contract_kind: string;
  readonly baseline_kind: string;
  readonly baseline_position: Buffer;
  readonly high_water: Buffer | null;
  readonly high_water_tie: Buffer | null;
}

/** What decides in a lane, of its locked row. */
export function standOf(row: LaneFacts): LaneStand {
  return {
    strict: row.contract_kind === 'strict_source_sequence',
    highWater: placeOf(row.high_water, row.high_water_tie),
    start: row.baseline_kind === 'start' ? row.baseline_position : null,
  };
}

export function placeOf(position: Buffer | null, tieBreaker: Buffer | null): Place | null {
  return position === null ? null : { position, tieBreaker: tieBreaker ?? Buffer.alloc(0) };
}
