import { AUDITS, broken, SERVING, type Planted } from './planted';

const at = (position: number): Buffer => Buffer.from(position.toString(16).padStart(16, '0'), 'hex');
const NONE = Buffer.alloc(0);
/** An execution of lane `l`, open until it is `finished`. */
const member = (position: number, attempt_count: number, finished?: 'completed' | 'quarantined') => ({
  execution_id: `x${position}`,
  account: 'a',
  projection_id: `p${position}`,
  state: finished ?? 'ready',
  attempt_count,
  ready_account: null,
  lane_id: 'l',
  open_lane: finished === undefined ? 'l' : null,
  source_position: at(position),
  tie_breaker: NONE,
});
const attempt = (position: number, ordinal = 1) => ({ execution_id: `x${position}`, ordinal });
/** A strict lane from 1 that has completed up to `high`, with what is at work in it. */
const lane = (high: number | null, active: number | null, fence: bigint, over = {}) => ({
  lane_id: 'l',
  account: 'a',
  ready_account: 'a',
  contract_kind: 'strict_source_sequence',
  baseline_position: at(1),
  high_water: high === null ? null : at(high),
  high_water_tie: high === null ? null : NONE,
  active_execution: active === null ? null : `x${active}`,
  active_position: active === null ? null : at(active),
  held_reason: null,
  fence,
  ...over,
});
const LATEST = { contract_kind: 'latest_source_position' };
const gap = (missing: number, state: string) => ({ lane_id: 'l', missing_position: at(missing), execution_id: 'x2', state });
const decision = (position: number, overtaken_by: string | null = null) => ({
  projection_id: `p${position}`,
  lane_id: 'l',
  execution_id: `x${position}`,
  source_position: at(position),
  tie_breaker: NONE,
  overtaken_by,
});
const WORK = [{ stage: 'execution', account: 'a', produced: 1n, due_at: 'now' }];
const ORDERED = { ...SERVING, work: WORK };
const DUE = { ...ORDERED, lanes: [lane(null, null, 1n)], executions: [member(1, 0), member(2, 0)] };
const AT_WORK = { ...ORDERED, lanes: [lane(null, 1, 2n)], executions: [member(1, 1), member(2, 0)], attempts: [attempt(1)] };
const RECORDED = {
  ...ORDERED,
  ...AUDITS,
  lanes: [lane(1, null, 3n)],
  executions: [member(1, 1, 'completed'), member(2, 0)],
  attempts: [attempt(1)],
  results: [{ execution_id: 'x1' }],
};
const SECOND = {
  ...RECORDED,
  lanes: [lane(1, 2, 4n)],
  executions: [member(1, 1, 'completed'), member(2, 1)],
  attempts: [attempt(1), attempt(2)],
};
const BEHIND_GAP = { ...ORDERED, lanes: [lane(null, null, 1n)], executions: [member(2, 0)] };
const PAST_GAP = { ...ORDERED, lanes: [lane(null, 2, 2n)], executions: [member(2, 1)], attempts: [attempt(2)] };
const WAITING = { ...DUE, lanes: [lane(null, null, 1n, LATEST)] };
const OVERTAKEN = {
  ...ORDERED,
  ...AUDITS,
  lanes: [lane(null, 2, 2n, LATEST)],
  executions: [member(1, 0, 'quarantined'), member(2, 1)],
  attempts: [attempt(2)],
  superseded: [decision(1, 'x2')],
};

describe('invariants of lanes on planted histories', () => {
  it.each<[string, Planted, Planted]>([
    ['a claim in a lane', DUE, AT_WORK],
    ['a result in a lane', AT_WORK, RECORDED],
    ['the claim of the next position', RECORDED, SECOND],
    ['a claim behind a gap that is closed', { ...BEHIND_GAP, gaps: [gap(1, 'expired')] }, { ...PAST_GAP, gaps: [gap(1, 'expired')] }],
    ['a claim of the greatest position', WAITING, OVERTAKEN],
  ])('none: %s as the doors make it', (_what, before, after) => {
    expect(broken(before, after)).toEqual([]);
  });

  it.each<[string, string, Planted, Planted]>([
    ['I10', 'a lane that was taken under one fence', DUE, { ...AT_WORK, lanes: [lane(null, 1, 1n)] }],
    ['I11', 'a gap that came after it was closed', { gaps: [gap(1, 'expired')] }, { gaps: [gap(1, 'satisfied')] }],
    [
      'I15',
      'an idle lane with open work that nobody looks at',
      AT_WORK,
      { ...RECORDED, lanes: [lane(1, null, 3n, { ready_account: null })] },
    ],
    ['I15', 'a lane that is due in an account that rests', DUE, { ...DUE, work: [{ ...WORK[0], due_at: null }] }],
    ['ORD-10', 'a high-water that went back', RECORDED, { ...RECORDED, lanes: [lane(null, null, 4n)] }],
    ['ORD-10', 'a high-water past what was at work', AT_WORK, { ...RECORDED, lanes: [lane(2, null, 3n)] }],
    ['ORD-10', 'a high-water without a result', AT_WORK, { ...AT_WORK, lanes: [lane(1, null, 3n)] }],
    ['ORD-13', 'a superseded position that is claimed', OVERTAKEN, { ...OVERTAKEN, attempts: [attempt(2), attempt(1)] }],
    ['ORD-13', 'a position that its lane has passed, claimed', RECORDED, { ...RECORDED, attempts: [attempt(1), attempt(1, 2)] }],
    ['ORD-13', 'a superseded position that nothing passed', WAITING, { ...OVERTAKEN, superseded: [decision(1)] }],
    ['ORD-13', 'a decision that changed', OVERTAKEN, { ...OVERTAKEN, superseded: [decision(1, 'x3')] }],
    ['ORD-14', 'a claim behind a gap that is open', BEHIND_GAP, PAST_GAP],
    [
      'ORD-14',
      'a claim behind a closed gap past what has come',
      { ...DUE, gaps: [gap(1, 'expired')] },
      { ...PAST_GAP, executions: [member(1, 0), member(2, 1)], gaps: [gap(1, 'expired')] },
    ],
    [
      'LANE-K',
      'two at work in one lane',
      AT_WORK,
      { ...AT_WORK, executions: [member(1, 1), member(2, 1)], attempts: [attempt(1), attempt(2)] },
    ],
    ['LANE-K', 'a claim that its lane does not name', DUE, { ...AT_WORK, lanes: [lane(null, null, 2n)] }],
    ['LANE-K', 'a claim in a held lane', { ...RECORDED, lanes: [lane(1, null, 3n, { held_reason: 'failed' })] }, SECOND],
  ])('%s: %s', (id, _what, before, after) => {
    expect(broken(before, after)).toContain(id);
  });
});
