import type { LaneId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { gapsOf, type GapView } from './gaps';
import { kindOf, laneView, readLaneRow, type LaneView } from './lane-row';
import { membersOf, type MemberView } from './members';

export interface LaneStory extends LaneView {
  /** Unfinished executions in the order of their turns, the first 100. */
  readonly members: readonly MemberView[];
  /** The latest 50, the highest position first. */
  readonly gaps: readonly GapView[];
}

/** One lane with what waits in it. */
export async function readLane(db: Db, laneId: LaneId): Promise<LaneStory | undefined> {
  const row = await readLaneRow(db, laneId);
  if (row === undefined) return undefined;
  return { ...laneView(row), members: await membersOf(db, row), gaps: await gapsOf(db, laneId, kindOf(row)) };
}
