import type { AccountName, LaneFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { LaneId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { standOf } from '../../fences/lane-stand';
import type { Child, ChildLane, Children, ChildScope } from '../../model/inbound/children';
import type { RouteRef } from '../../model/inbound/delivery';
import { holdOnText, type LaneContract, type OrderingContract } from '../../model/ordering/contract';
import { exactSuccessor, isLate, type LaneStand } from '../../model/ordering/lane';
import { positionBytes } from '../../model/ordering/position';
import type { SupersededReason } from '../../model/ordering/superseded';

const LOCK = lockRows(
  conOrderingLane,
  [
    'lane_id',
    'contract_digest',
    'contract_kind',
    'baseline_kind',
    'baseline_position',
    'high_water',
    'high_water_tie',
    'ready_account',
    'active_execution',
    'settles_at',
  ],
  'WHERE lane_id IN (:lane_id)',
);
/** An idle lane is looked at now: for its successor, or to write down that one is missing. */
const RAISE = updateRows(
  conOrderingLane,
  `SET ready_account = account, due_at = NOW(6)
 WHERE lane_id IN (:lane_id) AND active_execution IS NULL AND held_reason IS NULL`,
  'raise',
);
/** A window opens with the first position after the last claim; a lane at work keeps the end of its lease. */
const SETTLE = updateRows(
  conOrderingLane,
  `SET settles_at = NOW(6) + INTERVAL 1000 * settle_ms MICROSECOND, ready_account = account,
       due_at = CASE WHEN active_execution IS NULL THEN NOW(6) + INTERVAL 1000 * settle_ms MICROSECOND ELSE due_at END
 WHERE lane_id IN (:lane_id) AND settles_at IS NULL AND held_reason IS NULL`,
  'settle',
);

type LaneRow = ReturnType<typeof LOCK.decode>;

/** Locks the lanes of all items that exist. An absent one may be taken for absent: every writer of this account's lanes holds this gate. */
export async function lockLanes(tx: FencedTx, { ordering }: RouteRef, receipts: readonly Children[]): Promise<Lanes> {
  const ids = receipts.flatMap(({ items }) => items.flatMap(({ lane }) => (lane === null ? [] : [lane.laneId])));
  return new Lanes(ordering, ids.length === 0 ? [] : await tx.lockMany(LOCK, { lane_id: ids }));
}

/** The lanes of one call, as their locked rows say. */
export class Lanes {
  readonly #contract: OrderingContract;
  readonly #rows: ReadonlyMap<LaneId, LaneRow>;

  constructor(contract: OrderingContract, rows: readonly LaneRow[]) {
    this.#contract = contract;
    this.#rows = new Map(rows.map((row) => [row.lane_id, row]));
    for (const row of rows) {
      const same = contract.kind !== 'order_independent' && contract.kind === row.contract_kind && contract.digest === row.contract_digest;
      invariant(same, 'HOUSE:connector:LaneContract', `lane ${row.lane_id} was opened under another contract`);
    }
  }

  /** Whether the lane has passed this item, or begins behind it. */
  isLate({ lane }: Child): boolean {
    return lane !== null && isLate(this.#standOf(lane), lane);
  }

  /** Opens the lanes that these items begin, and says of each when it is to be looked at (decisions 13.4). */
  async take(tx: FencedTx, scope: ChildScope, fresh: readonly Child[]): Promise<void> {
    const contract = this.#contract;
    if (contract.kind === 'order_independent') return;
    const places = fresh.flatMap(({ lane }) => (lane === null ? [] : [lane]));
    await tx.insert(
      conOrderingLane,
      firstOfEach(places.filter(({ laneId }) => !this.#rows.has(laneId))).map((lane) => laneRow(scope, contract, lane)),
    );
    const due = firstOfEach(places.filter((lane) => this.#makesDue(lane))).map(({ laneId }) => laneId);
    if (due.length > 0) await tx.update(contract.kind === 'strict_source_sequence' ? RAISE : SETTLE, { lane_id: due });
  }

  /** The decision about an item that is late (con:SUPD-W). */
  superseded(account: AccountName, { projectionId, lane }: Child) {
    invariant(lane !== null, 'HOUSE:connector:LateWithoutLane', `${projectionId} is in no lane`);
    const { highWater } = this.#standOf(lane);
    return {
      projection_id: projectionId,
      account,
      lane_id: lane.laneId,
      execution_id: null,
      source_position: lane.position,
      tie_breaker: lane.tieBreaker,
      high_water: highWater?.position ?? null,
      high_water_tie: highWater?.tieBreaker ?? null,
      overtaken_by: null,
      reason: 'late' satisfies SupersededReason,
    };
  }

  #standOf({ laneId }: ChildLane): LaneStand {
    const row = this.#rows.get(laneId);
    return row === undefined ? newStand(this.#contract) : standOf(row);
  }

  /** Only what is claimable makes its lane due, and the first item that shows a gap; a window opens once. A held lane the update leaves alone. */
  #makesDue(lane: ChildLane): boolean {
    const row = this.#rows.get(lane.laneId);
    const stand = this.#standOf(lane);
    if (isLate(stand, lane)) return false;
    if (!stand.strict) return (row?.settles_at ?? null) === null;
    if ((row?.active_execution ?? null) !== null) return false;
    return (row?.ready_account ?? null) === null || exactSuccessor(stand)?.equals(lane.position) === true;
  }
}

function newStand(contract: OrderingContract): LaneStand {
  const strict = contract.kind === 'strict_source_sequence';
  return { strict, highWater: null, start: strict ? positionBytes(contract.start) : null };
}

function firstOfEach(lanes: readonly ChildLane[]): readonly ChildLane[] {
  return [...new Map(lanes.toReversed().map((lane) => [lane.laneId, lane])).values()].toReversed();
}

function laneRow(scope: ChildScope, contract: LaneContract, lane: ChildLane) {
  const strict = contract.kind === 'strict_source_sequence' ? contract : null;
  return {
    lane_id: lane.laneId,
    account: scope.account,
    ready_account: null,
    epoch_id: scope.epochId,
    route_identity: scope.route.identity,
    ordering_partition: lane.partition,
    contract_digest: contract.digest,
    contract_kind: contract.kind,
    position_kind: lane.positionKind,
    settle_ms: contract.kind === 'latest_source_position' ? contract.settleMs : null,
    gap_ms: strict?.gapMs ?? null,
    gap_then: strict?.gapThen ?? null,
    hold_on: holdOnText(contract.holdOn),
    baseline_kind: strict === null ? 'first_observed' : 'start',
    baseline_position: strict === null ? lane.position : positionBytes(strict.start),
    high_water: null,
    high_water_tie: null,
    active_execution: null,
    active_position: null,
    active_tie: null,
    held_reason: null,
    settles_at: null,
    fence: 1n as LaneFence,
  };
}
