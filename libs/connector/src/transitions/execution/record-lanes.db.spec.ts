import { CommandId, type ExecutionId, type LaneId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { receiptFor } from '@connector/testing/fixtures/execution';
import { arrive, claimLane, laneOf, laneRow, record, resultFor, stateOf, strictRoute } from '@connector/testing/fixtures/ordered';
import { countOf } from '@connector/testing/fixtures/serving';
import { recordResults } from './record-results.tx';

let schema: TestSchema;
let served: ServedAccount;
let lane: LaneId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  lane = laneOf(served, 'r1');
});
afterAll(() => schema.close());

/** Positions 1 and 2 of one record, the first one claimed. */
async function claimedFirst(route = strictRoute()): Promise<readonly [ExecutionId, ExecutionId]> {
  const changes = [1, 2].map((at) => ({ record: 'r1', at }));
  const executions = (await arrive(schema.db, served, route, changes)) as unknown as readonly [ExecutionId, ExecutionId];
  expect((await claimLane(schema.db, served, lane)).kind).toBe('claimed');
  return executions;
}
const dueOfWork = async (): Promise<unknown> =>
  (await schema.sql("SELECT produced FROM con_account_work WHERE stage = 'execution'"))[0]?.['produced'];

describe('record-results › in a lane', () => {
  it('recorded: con:RREC-W con:ORD-16 con:ORD-10 the high-water moves in the commit that completes, and the next one is due', async () => {
    const [first] = await claimedFirst();
    const before = await dueOfWork();
    expect(await record(schema, served, first)).toBe('recorded');
    expect(await laneRow(schema, lane)).toEqual({ highWater: 1, active: null, held: null, ready: true, fence: 3 });
    expect(Number(await dueOfWork())).toBe(Number(before) + 1);
    expect((await claimLane(schema.db, served, lane)).kind).toBe('claimed');
  });

  it('recorded: con:RREC-O the same receipt again moves nothing', async () => {
    const [first, second] = await claimedFirst();
    await record(schema, served, first);
    await claimLane(schema.db, served, lane);
    await record(schema, served, second);
    const before = await laneRow(schema, lane);
    expect(await record(schema, served, first)).toBe('recorded');
    expect(await laneRow(schema, lane)).toEqual(before);
    expect(before).toEqual({ highWater: 2, active: null, held: null, ready: false, fence: 5 });
  });

  it.each(['applied', 'noop', 'rejected'])('recorded: con:OPEN-18 an outcome %s lets the next position come', async (outcome) => {
    const [first] = await claimedFirst();
    await record(schema, served, first, outcome);
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: 1, held: null, ready: true });
  });

  it.each([
    ['failed', strictRoute()],
    ['rejected', strictRoute({ holdOn: ['rejected', 'failed'] })],
  ])(
    'recorded: con:OPEN-18 con:ORD-17 an outcome %s completes the execution and holds the lane where the contract says so',
    async (outcome, route) => {
      const [first, second] = await claimedFirst(route);
      expect(await record(schema, served, first, outcome)).toBe('recorded');
      expect([await stateOf(schema, first), await stateOf(schema, second)]).toEqual(['completed', 'ready']);
      expect(await laneRow(schema, lane)).toMatchObject({ highWater: null, active: 1, held: outcome, ready: false });
      await schema.sql('UPDATE con_ordering_lane SET due_at = NOW(6), ready_account = account');
      expect((await claimLane(schema.db, served, lane)).kind).toBe('held');
    },
  );

  it('recorded: con:OPEN-18 with a contract that holds nothing a failure lets the next one come', async () => {
    const [first] = await claimedFirst(strictRoute({ holdOn: [] }));
    await record(schema, served, first, 'failed');
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: 1, held: null });
  });

  it('not-active: con:RREC-P only because another execution is at work in the lane', async () => {
    const [first] = await claimedFirst();
    const receipt = await resultFor(schema, first);
    await schema.sql('UPDATE con_ordering_lane SET active_execution = REPEAT(0x01, 16)');
    expect(await recordResults(schema.db, served.account, [receipt])).toEqual([{ kind: 'not-active' }]);
    expect([await countOf(schema, 'con_result_correlation'), await stateOf(schema, first)]).toEqual([0, 'ready']);
  });

  it('not-found: con:RREC-X only because the Runtime has no result under this digest', async () => {
    const [first] = await claimedFirst();
    expect(await recordResults(schema.db, served.account, [await receiptFor(schema, first)])).toEqual([{ kind: 'not-found' }]);
    const receipt = await resultFor(schema, first);
    await schema.sql('UPDATE run_application_result SET result_digest = REPEAT(0x00, 32) WHERE command_id = ?', [
      CommandId.bytes(receipt.commandId),
    ]);
    expect(await recordResults(schema.db, served.account, [receipt])).toEqual([{ kind: 'not-found' }]);
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: null, active: 1 });
  });

  it('not-claimed: con:LANE-M a result of a later position moves no high-water', async () => {
    const [, second] = await claimedFirst();
    expect(await record(schema, served, second)).toBe('not-claimed');
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: null, active: 1 });
  });

  it('recorded: con:LANE-M several lanes in one commit, each by its own', async () => {
    await arrive(schema.db, served, strictRoute(), [
      { record: 'r1', at: 1 },
      { record: 'r2', at: 1 },
      { record: 'r2', at: 2 },
    ]);
    const lanes = [lane, laneOf(served, 'r2')];
    const claimed = [];
    for (const one of lanes) claimed.push(await claimLane(schema.db, served, one));
    const receipts = [];
    for (const one of claimed) receipts.push(await resultFor(schema, (one as { executionId: ExecutionId }).executionId));
    expect(await recordResults(schema.db, served.account, receipts)).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
    expect(await laneRow(schema, lanes[0] as LaneId)).toMatchObject({ highWater: 1, ready: false });
    expect(await laneRow(schema, lanes[1] as LaneId)).toMatchObject({ highWater: 1, ready: true });
  });
});
