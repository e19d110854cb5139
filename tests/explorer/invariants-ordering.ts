import { by, fresh, gapKey, pairs, text, type Commit } from './invariant';
import type { Rows } from './rows';

type Lane = Rows['lanes'][number];
type Execution = Rows['executions'][number];

const laneKey = ({ lane_id }: Lane): string => lane_id;
const attemptKey = ({ execution_id, ordinal }: Rows['attempts'][number]): string => `${execution_id} ${ordinal}`;
const valueOf = (position: Buffer): bigint => BigInt(`0x${position.toString('hex')}`);

/** Positions of one kind are of one length, so their bytes compare as they do. */
function compare(left: readonly (Buffer | null)[], right: readonly (Buffer | null)[]): number {
  const [one, other] = [left, right].map((parts) => Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0))));
  return Buffer.compare(one as Buffer, other as Buffer);
}

/** What this commit claimed, each with its lane as it stood before. */
function claimed({ before, after }: Commit): readonly (readonly [Execution, Lane])[] {
  const executions = by(after.executions, ({ execution_id }) => execution_id);
  const lanes = by(before.lanes, laneKey);
  return fresh(before.attempts, after.attempts, attemptKey).flatMap(({ execution_id }) => {
    const execution = executions.get(execution_id);
    const lane = lanes.get(execution?.lane_id ?? '');
    return execution === undefined || lane === undefined ? [] : [[execution, lane] as const];
  });
}

export function oneAtWork(commit: Commit): readonly string[] {
  const { executions, lanes } = commit.after;
  const apart = lanes.flatMap((lane) => {
    const atWork = executions.filter((row) => row.open_lane === lane.lane_id && row.attempt_count > 0).map((row) => row.execution_id);
    const named = lane.active_execution === null || lane.held_reason !== null ? [] : [lane.active_execution];
    return text(atWork) === text(named) ? [] : [`${lane.lane_id} names ${named.join(' ')}, and at work are ${atWork.join(' ')}`];
  });
  const held = claimed(commit).filter(([, lane]) => lane.held_reason !== null);
  return [...apart, ...held.map(([execution, lane]) => `${execution.execution_id} was claimed in ${lane.lane_id}, which is held`)];
}

export function highWaterRises({ before, after }: Commit): readonly string[] {
  const place = (row: Lane): readonly (Buffer | null)[] => [row.high_water, row.high_water_tie];
  const done = new Set<string | null>(after.results.map(({ execution_id }) => execution_id));
  const moved = pairs(before.lanes, after.lanes, laneKey).filter(([old, now]) => compare(place(old), place(now)) !== 0);
  return [
    ...moved.filter(([old, now]) => compare(place(now), place(old)) < 0).map(([old]) => `the high-water of ${old.lane_id} went back`),
    ...moved
      .filter(([old, now]) => !done.has(old.active_execution) || compare([now.high_water], [old.active_position]) !== 0)
      .map(([old]) => `the high-water of ${old.lane_id} moved to what was not at work and completed`),
  ];
}

export function withoutHole(commit: Commit): readonly string[] {
  const { executions, gaps } = commit.after;
  const expired = new Set(gaps.filter(({ state }) => state === 'expired').map(gapKey));
  return claimed(commit).flatMap(([{ execution_id, source_position }, lane]) => {
    const { lane_id, high_water, baseline_position } = lane;
    if (lane.contract_kind !== 'strict_source_sequence' || source_position === null) return [];
    const next = high_water === null ? valueOf(baseline_position) : valueOf(high_water) + 1n;
    const at = valueOf(source_position);
    const closed = expired.has(`${lane_id} ${next.toString(16).padStart(16, '0')}`);
    const open = executions.filter((row) => row.open_lane === lane_id).map((row) => valueOf(row.source_position ?? baseline_position));
    const lower = open.some((position) => position >= next && position < at);
    return (at === next || (closed && at > next)) && !lower ? [] : [`${execution_id} at ${at} was claimed, and ${next} was to come`];
  });
}

/** A decision about a position that nothing greater has passed loses a change. */
function inVain({ before, after }: Commit): readonly Rows['superseded'][number][] {
  const lanes = by(before.lanes, laneKey);
  const executions = by(after.executions, ({ execution_id }) => execution_id);
  return fresh(before.superseded, after.superseded, ({ projection_id }) => projection_id).filter((row) => {
    const lane = lanes.get(row.lane_id);
    const taken = executions.get(row.overtaken_by ?? '');
    const place = [row.source_position, row.tie_breaker];
    const passed = lane !== undefined && lane.high_water !== null && compare(place, [lane.high_water, lane.high_water_tie]) <= 0;
    const overtaken =
      taken?.lane_id === row.lane_id && taken.state === 'ready' && compare(place, [taken.source_position, taken.tie_breaker]) < 0;
    const early = lane?.contract_kind === 'strict_source_sequence' && compare(place, [lane.baseline_position]) < 0;
    return !passed && !early && !overtaken;
  });
}

export function neverApplied(commit: Commit): readonly string[] {
  const { before, after } = commit;
  const tried = new Set<string>(after.attempts.map(({ execution_id }) => execution_id));
  const executions = by(after.executions, ({ projection_id }) => projection_id);
  const applied = after.superseded.filter(({ projection_id }) => {
    const execution = executions.get(projection_id);
    return execution !== undefined && (execution.state !== 'quarantined' || tried.has(execution.execution_id));
  });
  const passed = claimed(commit).filter(
    ([row, lane]) =>
      lane.high_water !== null && compare([row.source_position, row.tie_breaker], [lane.high_water, lane.high_water_tie]) <= 0,
  );
  return [
    ...applied.map(({ projection_id }) => `${projection_id} is superseded, and its execution is not at an end without a try`),
    ...passed.map(([{ execution_id }, { lane_id }]) => `${execution_id} was claimed, which ${lane_id} has passed`),
    ...inVain(commit).map(({ projection_id }) => `${projection_id} is superseded, and nothing greater was there`),
    ...pairs(before.superseded, after.superseded, ({ projection_id }) => projection_id)
      .filter(([old, now]) => text(old) !== text(now))
      .map(([old]) => `the decision about ${old.projection_id} changed`),
  ];
}
