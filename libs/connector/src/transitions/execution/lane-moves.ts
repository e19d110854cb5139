import { invariant } from '@connector/kernel/faults';
import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { standOf } from '../../fences/lane-stand';
import { comparePlaces, type Place } from '../../model/ordering/position';
import { nextMove, type LaneMove } from '../../model/ordering/next-move';
import { knownGaps, type Gap, type NewGap } from './await-gaps.step';
import { BEHIND_MAX, HEADS, LOCK_MEMBERS, type LaneRow, type Member } from './lane-rows';
import { membersBehind, type Overtaken } from './supersede-positions.step';

/** What is done with one due lane, decided under its lock. */
export interface Planned {
  readonly lane: LaneRow;
  readonly move: LaneMove;
  /** The member that is leased; null where none is. */
  readonly claimed: Member | null;
  readonly overtaken: readonly Overtaken[];
  readonly opens: readonly NewGap[];
  readonly closes: readonly Gap[];
  /** Whether everything that is behind was seen. */
  readonly whole: boolean;
}

export async function movesOf(tx: FencedTx, lanes: readonly LaneRow[]): Promise<readonly Planned[]> {
  const idle = lanes.filter((lane) => lane.active_execution === null);
  const heads = await headsOf(tx, idle);
  const behind = await membersBehind(tx, idle);
  const gaps = await knownGaps(tx, idle);
  const waiting = [...gaps.values()].filter(({ state }) => state === 'waiting');
  const active = lanes.flatMap(({ active_execution: one }) => (one === null ? [] : [one]));
  const ids = [...heads.values(), ...behind, ...active, ...waiting.map(({ owner }) => owner)];
  const rows = ids.length === 0 ? [] : await tx.lockMany(LOCK_MEMBERS, { execution_id: ids });
  const members = new Map(rows.map((row) => [row.execution_id, row]));
  const looked = { members, behind: behind.flatMap((id) => members.get(id) ?? []), whole: behind.length < BEHIND_MAX };
  return lanes.map((lane) => planOf(lane, headOf(lane, heads, members), gaps.get(lane.lane_id), looked));
}

async function headsOf(tx: FencedTx, lanes: readonly LaneRow[]): Promise<ReadonlyMap<LaneId, ExecutionId>> {
  if (lanes.length === 0) return new Map();
  const rows = await tx.read(HEADS, { lane_id: lanes.map(({ lane_id }) => lane_id) });
  return new Map(rows.map((row) => [row.lane_id, row.execution_id]));
}

interface Looked {
  readonly members: ReadonlyMap<ExecutionId, Member>;
  readonly behind: readonly Member[];
  readonly whole: boolean;
}

function headOf(lane: LaneRow, heads: ReadonlyMap<LaneId, ExecutionId>, members: Looked['members']): Member | undefined {
  const id = lane.active_execution ?? heads.get(lane.lane_id);
  const head = id === undefined ? undefined : members.get(id);
  invariant((id === undefined) === (head === undefined), 'HOUSE:connector:MemberVanished', `${id} of lane ${lane.lane_id}`);
  return head;
}

function planOf(lane: LaneRow, head: Member | undefined, gap: Gap | undefined, looked: Looked): Planned {
  const plan = { lane, overtaken: [], opens: [], closes: [], whole: looked.whole };
  if (lane.active_execution !== null) return { ...plan, move: { kind: 'claim' }, claimed: head ?? null };
  const stand = standOf(lane);
  const place = head && placeOf(head);
  // In a latest lane everything may be behind what is completed; then its greatest is no claim but a decision like the others.
  const past = stand.highWater !== null && place !== undefined && comparePlaces(place, stand.highWater) <= 0;
  const next = past || head === undefined || place === undefined ? undefined : { executionId: head.execution_id, position: place.position };
  const move = nextMove(stand, next, gap);
  const claimed = move.kind === 'claim' ? (head ?? null) : null;
  const overtaken = looked.behind
    .filter((member) => member.open_lane === lane.lane_id && member.execution_id !== claimed?.execution_id)
    .map((member) => ({ lane, member, by: stand.strict ? null : (claimed?.execution_id ?? null) }));
  const first = move.kind === 'gap' && move.known === undefined && next !== undefined;
  return {
    ...plan,
    move,
    claimed,
    overtaken,
    opens: first ? [{ lane, missing: move.missing, owner: next.executionId }] : [],
    closes: claimed !== null && gap?.state === 'waiting' ? [gap] : [],
  };
}

function placeOf(member: Member): Place {
  const { source_position: position, tie_breaker: tieBreaker } = member;
  invariant(position !== null && tieBreaker !== null, 'HOUSE:connector:MemberWithoutPlace', member.execution_id);
  return { position, tieBreaker };
}
