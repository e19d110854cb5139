import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { arrive, claimLane, laneOf, laneRow, passDeadlines, record, stateOf, strictRoute } from '@connector/testing/fixtures/ordered';
import { disposeGaps } from './dispose-gaps.tx';

let schema: TestSchema;
let served: ServedAccount;
let lane: LaneId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount];
  lane = laneOf(served, 'r1');
});
afterAll(() => schema.close());

const arriveAt = (gapThen: 'quarantine' | 'skip', ...positions: readonly number[]): Promise<readonly ExecutionId[]> =>
  arrive(
    schema.db,
    served,
    strictRoute({ gapThen }),
    positions.map((at) => ({ record: 'r1', at })),
  );
const dispose = async (basis = served) => (await disposeGaps(schema.db, basis, [lane]))[0];
/** Position 1 is missing before these; the gap was seen, and its deadline has passed. */
async function gapBehind(gapThen: 'quarantine' | 'skip', ...positions: readonly number[]): Promise<readonly ExecutionId[]> {
  const executions = await arriveAt(gapThen, ...positions);
  expect((await claimLane(schema.db, served, lane)).kind).toBe('gap');
  await passDeadlines(schema);
  return executions;
}

describe('dispose-gaps', () => {
  it('quarantined: con:OPEN-19 con:OPEN-17 con:ORD-15 what stands behind the gap, and it keeps holding the lane for everybody', async () => {
    const [second, third] = await gapBehind('quarantine', 2, 3);
    expect(await dispose()).toMatchObject({ kind: 'quarantined', executionId: second });
    expect([await stateOf(schema, second as ExecutionId), await stateOf(schema, third as ExecutionId)]).toEqual([
      'quarantined order_gap',
      'ready',
    ]);
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: null, held: 'order_gap', ready: false });
    const [first] = await arriveAt('quarantine', 1);
    expect([(await claimLane(schema.db, served, lane)).kind, await stateOf(schema, first as ExecutionId)]).toEqual(['held', 'ready']);
    expect((await dispose())?.kind).toBe('held');
  });

  it('skipped: con:OPEN-19 with evidence: the lane goes on behind the gap, and what comes late is superseded', async () => {
    const [second] = await gapBehind('skip', 2);
    expect(await dispose()).toMatchObject({ kind: 'skipped', executionId: second, missing: Buffer.from('0000000000000001', 'hex') });
    expect(await schema.sql("SELECT 1 FROM con_execution_dependency WHERE state = 'expired' AND disposition = 'skip'")).toHaveLength(1);
    expect(await claimLane(schema.db, served, lane)).toMatchObject({ kind: 'claimed', executionId: second });
    await record(schema, served, second as ExecutionId);
    const [first] = await arriveAt('skip', 1);
    expect([await laneRow(schema, lane), await stateOf(schema, first as ExecutionId)]).toMatchObject([{ highWater: 2 }, 'not minted']);
  });

  it('skipped: what comes between the decision and the claim is still taken in its order', async () => {
    const [second] = await gapBehind('skip', 2);
    await dispose();
    const [first] = await arriveAt('skip', 1);
    expect(await claimLane(schema.db, served, lane)).toMatchObject({ kind: 'claimed', executionId: first });
    await record(schema, served, first as ExecutionId);
    expect(await claimLane(schema.db, served, lane)).toMatchObject({ kind: 'claimed', executionId: second });
  });

  it('no-gap: again, it is decided once', async () => {
    await gapBehind('skip', 2);
    await dispose();
    expect(await dispose()).toEqual({ kind: 'no-gap' });
  });

  it.each([
    ['not-due', 'the deadline lies ahead', 'UPDATE con_execution_dependency SET deadline = NOW(6) + INTERVAL 1 HOUR'],
    ['no-gap', 'it was closed', "UPDATE con_execution_dependency SET state = 'satisfied'"],
    ['at-work', 'an execution is at work', 'UPDATE con_ordering_lane SET active_execution = REPEAT(0x01, 16)'],
    ['held', 'the lane is held', "UPDATE con_ordering_lane SET held_reason = 'failed'"],
    ['not-found', 'the lane is of another account', "UPDATE con_ordering_lane SET account = 'south/acme'"],
    ['not-found', 'another epoch opened the lane', 'UPDATE con_ordering_lane SET epoch_id = REPEAT(0x00, 16)'],
    ['not-serving', 'the gate halts', "UPDATE con_serving_gate SET mode = 'halting_v2'"],
    ['epoch-not-active', 'the epoch drains', "UPDATE con_epoch SET state = 'draining'"],
  ])('%s: con:DEPR-X only because %s, and nothing is decided', async (kind, _why, change) => {
    const [second] = await gapBehind('quarantine', 2);
    await schema.sql(change);
    expect((await dispose())?.kind).toBe(kind);
    expect(await stateOf(schema, second as ExecutionId)).toBe('waiting_dependency');
  });

  it('arrived: con:DEPR-X only because the missing position has come, whatever its deadline says', async () => {
    const [second] = await gapBehind('quarantine', 2);
    await arriveAt('quarantine', 1);
    expect(await dispose()).toEqual({ kind: 'arrived' });
    expect(await stateOf(schema, second as ExecutionId)).toBe('waiting_dependency');
  });
});
