import type { Instant } from '@connector/kernel/brand';
import type { LaneId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import type { Finding } from '../../model/explain/finding';
import { gapsOf } from '../ordering/gaps';
import { kindOf, laneView, readLaneRow, type LaneFacts } from '../ordering/lane-row';
import { membersOf } from '../ordering/members';
import type { Examined } from './examined';
import { examineExecution } from './execution';
import { heldFinding, whyHeld } from './order';
import type { ExplainSources } from './sources';

const ENDED = readRows(conExecution, ['finished_at'], 'WHERE execution_id = :execution_id', 'ended');

/** A lane waits for what its one at work waits for, else for what its next one waits for. A held lane is told even if nothing waits in it. */
export async function examineLane(db: Db, sources: ExplainSources, laneId: LaneId): Promise<Examined | undefined> {
  const row = await readLaneRow(db, laneId);
  if (row === undefined) return undefined;
  const { account, state, active_execution } = laneView(row);
  const [next] = await membersOf(db, row);
  const head = state === 'at-work' ? active_execution : (next?.execution_id ?? null);
  const waits = head === null ? undefined : await examineExecution(db, sources, head);
  const findings = waits?.findings ?? (state === 'held' ? [await heldWithoutWaiting(db, sources, row)] : []);
  return { kind: 'lane', id: laneId, state, account, basis: waits?.basis ?? null, findings, finished: head === null && state !== 'held' };
}

async function heldWithoutWaiting(db: Db, sources: ExplainSources, row: LaneFacts): Promise<Finding> {
  const facts = { subject: row.lane_id, since: await heldSince(db, row), alertFrom: null, basis: null, evidenceId: row.lane_id };
  return heldFinding(laneView(row), await whyHeld(db, sources, row), 'nothing yet', facts);
}

/** What holds it ended then: the execution that it still names, or the gap. */
async function heldSince(db: Db, row: LaneFacts): Promise<Instant> {
  const { active_execution, lane_id, opened_at } = row;
  const ended = active_execution === null ? undefined : await db.readOne(ENDED, { execution_id: active_execution });
  const gap = (await gapsOf(db, lane_id, kindOf(row))).find(({ state }) => state === 'expired');
  return ended?.finished_at ?? gap?.decided_at ?? opened_at;
}
