import type { Instant } from '@connector/kernel/brand';
import type { ExecutionId, LaneId, ProjectionId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { conSupersededDecision } from '@connector/schema/connector/ordering';
import { whyText } from '../../model/execution/why';
import { finding, type Finding, type FindingFacts } from '../../model/explain/finding';
import { positionText } from '../../model/ordering/position';
import { ORDER_GAP } from '../../model/ordering/superseded';
import { gapsOf, type GapView } from '../ordering/gaps';
import { kindOf, laneView, readLaneRow, type LaneFacts, type LaneView } from '../ordering/lane-row';
import { membersOf, MEMBERS_MAX, type MemberView } from '../ordering/members';
import { databaseTime } from './serving';
import type { ExplainSources } from './sources';

/** An execution in a lane, as far as its order is asked about. */
export interface InLane {
  readonly execution_id: ExecutionId;
  readonly lane_id: LaneId;
  readonly source_position: Buffer | null;
  readonly minted_at: Instant;
}
type Facts = Omit<FindingFacts, 'since'>;

interface Seen {
  readonly lane: LaneView;
  readonly row: LaneFacts;
  readonly position: string;
  readonly members: readonly MemberView[];
  readonly gaps: readonly GapView[];
  readonly facts: Facts;
  readonly since: Instant;
  readonly now: Instant;
  readonly why: string | null;
}

/** What holds an unclaimed execution back in its lane; none: it is the next, and nobody has come for it. */
export async function orderFindings(db: Db, sources: ExplainSources, one: InLane, given: Facts): Promise<readonly Finding[]> {
  const row = await readLaneRow(db, one.lane_id);
  if (row === undefined) return [];
  const kind = kindOf(row);
  const seen: Seen = {
    row,
    lane: laneView(row),
    position: positionText(kind, one.source_position ?? Buffer.alloc(0)),
    members: await membersOf(db, row),
    gaps: await gapsOf(db, one.lane_id, kind),
    facts: { ...given, evidenceId: one.lane_id },
    since: one.minted_at,
    now: await databaseTime(db),
    why: await whyHeld(db, sources, row),
  };
  const found = held(seen) ?? atWork(seen) ?? gap(seen) ?? settling(seen) ?? behind(seen, one.execution_id);
  return found === undefined ? [] : [found];
}

const completed = ({ lane }: Seen): string => lane.high_water ?? 'nothing';

function held(seen: Seen): Finding | undefined {
  const { lane, position, facts, since, why } = seen;
  return lane.held === null ? undefined : heldFinding(lane, why, `position ${position}`, { ...facts, since });
}

const HOLDER = readRows(conExecution, ['command_id'], 'WHERE execution_id = :execution_id', 'holder');

/** Why the application refused what holds the lane, as the Runtime says. */
export async function whyHeld(db: Db, sources: ExplainSources, { held_reason, active_execution }: LaneFacts): Promise<string | null> {
  if (held_reason === null || active_execution === null) return null;
  const holder = await db.readOne(HOLDER, { execution_id: active_execution });
  const handover = holder && (await sources.handover(holder.command_id));
  return handover === undefined ? null : whyText(handover);
}

/** `behind`: what waits behind what holds it. */
export function heldFinding(lane: LaneView, why: string | null, behind: string, facts: FindingFacts): Finding {
  const refused = `position ${lane.active_position} was ${lane.held}${why === null ? '' : `: ${why}`}`;
  const cause = lane.held === ORDER_GAP ? 'a missing position was not seen in time' : refused;
  return finding('ORDER_LANE_HELD', { partition: lane.partition, completed: lane.high_water ?? 'nothing', cause, behind }, facts);
}

function atWork(seen: Seen): Finding | undefined {
  const { lane, position, facts, since } = seen;
  if (lane.active_execution === null || lane.active_position === null) return undefined;
  const values = { position, partition: lane.partition, ahead: lane.active_position, state: 'at work', completed: completed(seen) };
  return finding('ORDER_PREDECESSOR_ACTIVE', { ...values, execution: lane.active_execution }, { ...facts, since });
}

function gap(seen: Seen): Finding | undefined {
  const { lane, row, position, gaps, facts } = seen;
  const waiting = gaps.find(({ state }) => state === 'waiting');
  if (waiting === undefined) return undefined;
  const then = row.gap_then === 'skip' ? 'skip_gap' : 'quarantine_gap';
  const values = { position, partition: lane.partition, completed: completed(seen), missing: waiting.missing };
  return finding('ORDER_GAP', values, { ...facts, since: waiting.noticed_at, policy: { at: waiting.deadline, then } });
}

function settling({ lane, members, facts, since, now }: Seen): Finding | undefined {
  // Behind its end nothing settles any more: it waits for whoever claims. Instants have one form, so their text compares as their time does.
  if (lane.settles_at === null || lane.settles_at <= now) return undefined;
  const seen = members.length < MEMBERS_MAX ? `${members.length}` : `${MEMBERS_MAX} or more`;
  const values = { partition: lane.partition, until: lane.settles_at, seen };
  return finding('ORDER_SETTLING', values, { ...facts, since, policy: { at: lane.settles_at, then: 'apply_greatest' } });
}

/** Another one of the lane is the next, and nobody has come for it yet. */
function behind(seen: Seen, executionId: ExecutionId): Finding | undefined {
  const { lane, position, members, facts, since } = seen;
  const [next] = members;
  if (next === undefined || next.execution_id === executionId) return undefined;
  const values = { position, partition: lane.partition, ahead: next.position, state: 'not claimed yet', completed: completed(seen) };
  return finding('ORDER_PREDECESSOR_ACTIVE', { ...values, execution: next.execution_id }, { ...facts, since });
}

/** The execution that a gap stopped for good. */
export async function gapQuarantine(db: Db, one: InLane, given: Facts): Promise<readonly Finding[]> {
  const row = await readLaneRow(db, one.lane_id);
  if (row === undefined) return [];
  const gaps = await gapsOf(db, one.lane_id, kindOf(row));
  const ended = gaps.find((each) => each.execution_id === one.execution_id && each.state === 'expired');
  if (ended === undefined) return [];
  const position = positionText(kindOf(row), one.source_position ?? Buffer.alloc(0));
  const values = { position, partition: laneView(row).partition, missing: ended.missing, deadline: ended.deadline };
  const facts = { ...given, evidenceId: one.lane_id, since: ended.decided_at ?? ended.deadline };
  return [finding('ORDER_GAP_QUARANTINED', values, facts)];
}

const DECISION = readRows(
  conSupersededDecision,
  ['projection_id', 'lane_id', 'source_position', 'high_water', 'overtaken_by', 'reason', 'decided_at'],
  'WHERE projection_id = :projection_id',
  'explained',
);

/** An input that is decided without the application: told, and owed nothing. */
export async function supersededFindings(db: Db, projectionId: ProjectionId, subject: string): Promise<readonly Finding[]> {
  const decision = await db.readOne(DECISION, { projection_id: projectionId });
  const row = decision && (await readLaneRow(db, decision.lane_id));
  if (decision === undefined || row === undefined) return [];
  const kind = kindOf(row);
  const stood = decision.high_water === null ? 'nothing was completed' : `the high-water was ${positionText(kind, decision.high_water)}`;
  const by = decision.overtaken_by === null ? stood : `${decision.overtaken_by} was taken instead and ${stood}`;
  const position = positionText(kind, decision.source_position);
  const values = { position, partition: laneView(row).partition, reason: decision.reason, by };
  const facts = { subject, since: decision.decided_at, alertFrom: null, basis: null, evidenceId: projectionId };
  return [finding('ORDER_SUPERSEDED', values, facts)];
}

/** The decision as evidence. */
export async function readDecision(db: Db, projectionId: ProjectionId): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const decision = await db.readOne(DECISION, { projection_id: projectionId });
  const row = decision && (await readLaneRow(db, decision.lane_id));
  if (decision === undefined || row === undefined) return [];
  const kind = kindOf(row);
  const high_water = decision.high_water === null ? null : positionText(kind, decision.high_water);
  return [{ ...decision, source_position: positionText(kind, decision.source_position), high_water }];
}
