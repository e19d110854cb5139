import { LaneId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { LOOK_MAX, type ListSource } from '../lists/list';
import { LANE_COLUMNS, laneState, type LaneFacts } from './lane-row';

const ORDER = `ORDER BY opened_at DESC, lane_id DESC LIMIT ${LOOK_MAX}`;
const NEWEST = readRows(conOrderingLane, LANE_COLUMNS, `WHERE account = :account ${ORDER}`, 'newest');
const OLDER = readRows(
  conOrderingLane,
  LANE_COLUMNS,
  `WHERE account = :account AND opened_at <= :opened_at AND (opened_at < :opened_at OR lane_id < :lane_id) ${ORDER}`,
  'older',
);
const ONE = readRows(conOrderingLane, LANE_COLUMNS, 'WHERE lane_id = :lane_id', 'listed');

/** The lanes of an account, the newest first, in pages (`list`). */
export const laneList: ListSource<LaneFacts> = {
  page: (db, account, before) =>
    before === undefined
      ? db.read(NEWEST, { account })
      : db.read(OLDER, { account, opened_at: before.at, lane_id: LaneId.parse(before.id) }),
  placeOf: (row) => ({ id: row.lane_id, at: row.opened_at }),
  find: (db, id) => db.readOne(ONE, { lane_id: LaneId.parse(id) }),
  isIn: (row, state) => laneState(row) === state,
};
