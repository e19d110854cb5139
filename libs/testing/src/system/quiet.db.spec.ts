import type { LaneId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '../database';
import { serveAccounts, type ServedAccount } from '../fixtures/account';
import { arrive, claimLane, laneOf, passDeadlines, record, strictRoute } from '../fixtures/ordered';
import { busyRows } from './quiet';

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
  await arriveAt(2);
  expect((await claimLane(schema.db, served, lane)).kind).toBe('gap');
});
afterAll(() => schema.close());

const arriveAt = (at: number) => arrive(schema.db, served, strictRoute({ gapThen: 'skip' }), [{ record: 'r1', at }]);
const ONE = ['1 executions to finish in lanes'];

describe('what is under way', () => {
  it('nothing: a lane that waits for a missing position, until its deadline', async () => {
    expect(await busyRows(schema)).toEqual([]);
  });

  it('busy: the deadline of the gap is over, and nobody has gone on with the lane yet', async () => {
    await passDeadlines(schema);
    expect(await busyRows(schema)).toEqual(ONE);
  });

  it('busy: the missing position has come, and nobody has claimed it yet', async () => {
    const [first] = await arriveAt(1);
    expect(await busyRows(schema)).toEqual(['2 executions to finish in lanes']);
    expect(await claimLane(schema.db, served, lane)).toMatchObject({ kind: 'claimed', executionId: first });
    if (first !== undefined) await record(schema, served, first);
    expect(await busyRows(schema)).toEqual(ONE);
  });
});
