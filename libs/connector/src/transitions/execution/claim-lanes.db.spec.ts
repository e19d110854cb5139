import type { GateFence } from '@connector/kernel/brand';
import { ExecutionId, LaneId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { moveToNewEpoch, readyExecutions } from '@connector/testing/fixtures/execution';
import {
  arrive,
  claimLane,
  laneOf,
  laneRow,
  latestRoute,
  passDeadlines,
  record,
  stateOf,
  strictRoute,
} from '@connector/testing/fixtures/ordered';
import { countOf } from '@connector/testing/fixtures/serving';
import { claimExecutions } from './claim-executions.tx';
import { claimLanes, type ClaimLane } from './claim-lanes.tx';

let schema: TestSchema;
let served: ServedAccount;
let other: ServedAccount;
let lane: LaneId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served, other] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount, ServedAccount];
  lane = laneOf(served, 'r1');
});
afterAll(() => schema.close());

const STRICT = strictRoute();
const LATEST = latestRoute();
const claim = (id = lane, basis = served): Promise<ClaimLane> => claimLane(schema.db, basis, id);
const arriveAt = async (route: typeof STRICT, ...positions: readonly number[]): Promise<readonly ExecutionId[]> =>
  arrive(
    schema.db,
    served,
    route,
    positions.map((at) => ({ record: 'r1', at })),
  );
const attempts = (): Promise<number> => countOf(schema, 'con_execution_attempt');
/** Claims and completes; the executions in the order in which they were claimed. */
async function run(rounds: number): Promise<readonly ExecutionId[]> {
  const done: ExecutionId[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const answer = await claim();
    if (answer.kind !== 'claimed') throw new Error(answer.kind);
    expect(await record(schema, served, answer.executionId)).toBe('recorded');
    done.push(answer.executionId);
  }
  return done;
}

describe('claim-lanes, clause by clause', () => {
  it('claimed: con:CLM-P con:ORD-11 con:LANE-R where every clause is true; one attempt, and the lane knows who is at work under a new fence', async () => {
    const [first] = await arriveAt(STRICT, 1);
    expect(await claim()).toMatchObject({ kind: 'claimed', executionId: first, attempt: 1 });
    expect(await laneRow(schema, lane)).toEqual({ highWater: null, active: 1, held: null, ready: true, fence: 2 });
    expect(await attempts()).toBe(1);
  });

  it.each([
    ['not-serving', 'the gate halts', "UPDATE con_serving_gate SET mode = 'halting_v2'"],
    ['epoch-not-active', 'the epoch drains', "UPDATE con_epoch SET state = 'draining'"],
    ['not-due', 'it is due later', 'UPDATE con_ordering_lane SET due_at = NOW(6) + INTERVAL 1 HOUR'],
    ['not-due', 'nothing waits in it', 'UPDATE con_ordering_lane SET ready_account = NULL'],
    ['held', 'an ended execution holds it', "UPDATE con_ordering_lane SET held_reason = 'failed'"],
    ['other-epoch', 'another epoch opened it', 'UPDATE con_ordering_lane SET epoch_id = REPEAT(0x00, 16)'],
    ['not-found', 'it is of another account', "UPDATE con_ordering_lane SET account = 'south/acme'"],
  ])('%s: con:CLM-P con:CLM-X only because %s, and there is no attempt', async (kind, _why, change) => {
    await arriveAt(STRICT, 1);
    await schema.sql(change);
    expect((await claim()).kind).toBe(kind);
    expect(await attempts()).toBe(0);
  });

  it('fence-moved: con:CLM-X only because the gate moved since the look', async () => {
    await arriveAt(STRICT, 1);
    expect((await claim(lane, { ...served, fence: (served.fence - 1n) as GateFence })).kind).toBe('fence-moved');
    expect(await attempts()).toBe(0);
  });

  it('other-epoch: con:CHN-05 a lane that another epoch opened is nobody’s to claim', async () => {
    await arriveAt(STRICT, 1);
    expect(await claim(lane, await moveToNewEpoch(schema, served))).toMatchObject({ kind: 'other-epoch' });
  });

  it('gate-busy: a claimant that has other accounts to go to does not wait for a gate that somebody holds (decisions 3.8)', async () => {
    await arriveAt(STRICT, 1);
    const [loose] = (await readyExecutions(schema, served, ['k'])) as [ExecutionId];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let reached = (): void => undefined;
    const held = new Promise<void>((resolve) => (reached = resolve));
    const holder = schema.another(async ({ step }) => {
      if (step !== 'commit') return;
      reached();
      await released;
    });
    const holding = claimLanes(holder, served, { claimant: 'c-0', leaseMs: 60_000, lanes: [LaneId.of(Buffer.alloc(16))] });
    await held;
    const asked = { claimant: 'c-1', leaseMs: 60_000, ifFree: true } as const;
    expect(await claimLanes(schema.db, served, { ...asked, lanes: [lane] })).toEqual([{ kind: 'gate-busy' }]);
    expect(await claimExecutions(schema.db, served, { ...asked, executions: [loose] })).toEqual([{ kind: 'gate-busy' }]);
    release();
    await holding;
    expect((await claimLanes(schema.db, served, { ...asked, lanes: [lane] }))[0]?.kind).toBe('claimed');
  });
});

describe('claim-executions', () => {
  it('in-lane: con:ORD-09 an execution of a lane is not claimed past its lane', async () => {
    const executions = await arriveAt(STRICT, 1);
    expect(await claimExecutions(schema.db, served, { claimant: 'c-1', leaseMs: 60_000, executions })).toEqual([{ kind: 'in-lane' }]);
    expect(await attempts()).toBe(0);
  });
});

describe('claim-lanes, strict', () => {
  it('claimed: con:ORD-14 con:ORD-01 one after the other in the source’s order, however they came', async () => {
    const [third, first, second] = await arriveAt(STRICT, 3, 1, 2);
    expect(await run(3)).toEqual([first, second, third]);
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: 3, active: null, ready: false });
  });

  it('not-due: con:LANE-K con:UNIQ-11 while one is at work the next one is nobody’s', async () => {
    await arriveAt(STRICT, 1, 2);
    await claim();
    expect((await claim()).kind).toBe('not-due');
    expect(await attempts()).toBe(1);
  });

  it('claimed: con:ORD-17 con:RREC-X the end of a lease frees no later position: the same execution, once more', async () => {
    const [first] = await arriveAt(STRICT, 1, 2);
    const before = await claim();
    await schema.sql('UPDATE con_ordering_lane SET due_at = NOW(6)');
    expect(await claim()).toEqual({ ...before, executionId: first, attempt: 2 });
  });

  it('gap: con:ORD-15 con:CLM-X con:OPEN-19 a missing position waits without an attempt, under a deadline that is written once', async () => {
    const [, third] = await arriveAt(STRICT, 1, 3);
    await run(1);
    const gap = await claim();
    expect(gap).toMatchObject({ kind: 'gap', missing: Buffer.from('0000000000000002', 'hex') });
    expect([await stateOf(schema, third as ExecutionId), await attempts()]).toEqual(['waiting_dependency', 1]);
    await arriveAt(STRICT, 5, 4);
    expect((await claim()).kind).toBe('not-due');
    await schema.sql('UPDATE con_ordering_lane SET due_at = NOW(6)');
    expect(await claim()).toEqual(gap);
    expect(await countOf(schema, 'con_execution_dependency')).toBe(1);
  });

  it('claimed: con:XDEP-01 the position that was missing releases by itself what waited for it', async () => {
    const [third] = await arriveAt(STRICT, 3);
    expect((await claim()).kind).toBe('gap');
    const [first] = await arriveAt(STRICT, 1);
    expect(await run(1)).toEqual([first]);
    expect(await schema.sql("SELECT 1 FROM con_execution_dependency WHERE state = 'satisfied' AND decided_at IS NOT NULL")).toHaveLength(1);
    expect(await stateOf(schema, third as ExecutionId)).toBe('ready');
    expect((await claim()).kind).toBe('gap');
    const [second] = await arriveAt(STRICT, 2);
    expect(await run(2)).toEqual([second, third]);
  });

  it('gap-due: con:XDEP-02 behind its deadline the lane is left to the step that decides', async () => {
    const [second] = await arriveAt(STRICT, 2);
    await claim();
    await passDeadlines(schema);
    expect((await claim()).kind).toBe('gap-due');
    expect(await stateOf(schema, second as ExecutionId)).toBe('waiting_dependency');
  });

  it('rested: con:ORD-19 con:OPEN-14 a second change of a completed position is decided, not applied', async () => {
    const [first] = await arrive(schema.db, served, STRICT, [{ record: 'r1', at: 1 }]);
    await claim();
    const [twin] = await arrive(schema.db, served, STRICT, [{ record: 'r1', at: 1, name: 'twin' }]);
    await record(schema, served, first as ExecutionId);
    expect((await claim()).kind).toBe('rested');
    expect(await stateOf(schema, twin as ExecutionId)).toBe('quarantined superseded');
    expect(await countOf(schema, 'con_superseded_decision')).toBe(1);
  });
});

describe('claim-lanes, latest', () => {
  it('claimed: con:ORD-13 con:CLM-W con:SUPD-W the greatest; the others are decided in the same commit and never run', async () => {
    const [second, fifth, third] = await arriveAt(LATEST, 2, 5, 3);
    expect(await claim()).toMatchObject({ kind: 'claimed', executionId: fifth });
    for (const lower of [second, third]) expect(await stateOf(schema, lower as ExecutionId)).toBe('quarantined superseded');
    const rows = await schema.sql('SELECT reason, overtaken_by, high_water FROM con_superseded_decision');
    const expected = { reason: Buffer.from('lower'), overtaken_by: ExecutionId.bytes(fifth as ExecutionId), high_water: null };
    expect(rows).toEqual([expected, expected]);
    expect(await attempts()).toBe(1);
  });

  it('not-due: con:ORD-13 until its window is over; what comes meanwhile does not open it again', async () => {
    const route = latestRoute({ settleMs: 3_600_000 });
    await arriveAt(route, 2);
    const [before] = await schema.sql('SELECT settles_at, due_at = settles_at AS same FROM con_ordering_lane');
    await arriveAt(route, 4);
    expect((await claim()).kind).toBe('not-due');
    expect(await schema.sql('SELECT settles_at, due_at = settles_at AS same FROM con_ordering_lane')).toEqual([before]);
    await passDeadlines(schema);
    expect((await claim()).kind).toBe('claimed');
    expect(await schema.sql('SELECT settles_at FROM con_ordering_lane')).toEqual([{ settles_at: null }]);
  });

  it('claimed: con:ORD-20 at one position the greater tie-breaker, at one place always the same one', async () => {
    const twins = [
      { record: 'r1', at: 2, tie: 1 },
      { record: 'r1', at: 2, tie: 9, name: 'a' },
      { record: 'r1', at: 2, tie: 9, name: 'b' },
    ];
    const [low, a, b] = await arrive(schema.db, served, LATEST, twins);
    const answer = await claim();
    const greatest = [a, b].sort((one, two) =>
      Buffer.compare(ExecutionId.bytes(one as ExecutionId), ExecutionId.bytes(two as ExecutionId)),
    )[1];
    expect(answer).toMatchObject({ kind: 'claimed', executionId: greatest });
    expect(await stateOf(schema, low as ExecutionId)).toBe('quarantined superseded');
    expect(await countOf(schema, 'con_superseded_decision')).toBe(2);
  });

  it('rested: con:ORD-13 what came lower while the greatest was at work is decided behind it, without an attempt', async () => {
    await arriveAt(LATEST, 5);
    const answer = await claim();
    const [lower] = await arriveAt(LATEST, 4);
    await record(schema, served, (answer as { executionId: ExecutionId }).executionId);
    expect((await claim()).kind).toBe('rested');
    expect(await stateOf(schema, lower as ExecutionId)).toBe('quarantined superseded');
    expect([await attempts(), await laneRow(schema, lane)]).toMatchObject([1, { highWater: 5, ready: false }]);
  });

  it('claimed: a greater one that came while another was at work is next', async () => {
    await arriveAt(LATEST, 5);
    const first = await claim();
    const [greater] = await arriveAt(LATEST, 7);
    await record(schema, served, (first as { executionId: ExecutionId }).executionId);
    expect(await claim()).toMatchObject({ kind: 'claimed', executionId: greater });
  });

  it('claimed: with more behind than one run decides, the rest is decided at the looks that follow', async () => {
    const route = LATEST;
    for (let from = 1; from <= 401; from += 200)
      await arriveAt(route, ...Array.from({ length: from > 400 ? 1 : 200 }, (_, at) => from + at));
    const answer = await claim();
    expect(await countOf(schema, 'con_superseded_decision')).toBe(200);
    await record(schema, served, (answer as { executionId: ExecutionId }).executionId);
    expect([(await claim()).kind, (await claim()).kind, (await claim()).kind]).toEqual(['rested', 'rested', 'not-due']);
    expect(await countOf(schema, 'con_superseded_decision')).toBe(400);
  });
});

describe('claim-lanes, several', () => {
  it('claimed: each lane for itself, in one transaction; two accounts never share one (con:OPEN-12)', async () => {
    await arrive(schema.db, served, STRICT, [
      { record: 'r1', at: 1 },
      { record: 'r2', at: 2 },
      { record: 'r3', at: 1 },
    ]);
    await arrive(schema.db, other, STRICT, [{ record: 'r1', at: 1 }]);
    const lanes = ['r1', 'r2', 'r3'].map((name) => laneOf(served, name));
    const theirs = laneOf(other, 'r1');
    expect(theirs).not.toBe(lanes[0]);
    const answers = await claimLanes(schema.db, served, { claimant: 'c-1', leaseMs: 60_000, lanes: [...lanes, theirs] });
    expect(answers.map(({ kind }) => kind)).toEqual(['claimed', 'gap', 'claimed', 'not-found']);
    expect((await laneRow(schema, theirs)).active).toBeNull();
    const [row] = await schema.sql('SELECT ordering_partition FROM con_ordering_lane WHERE lane_id = ?', [LaneId.bytes(theirs)]);
    expect(String(row?.['ordering_partition'])).toBe('south/acme\0r1');
  });
});
