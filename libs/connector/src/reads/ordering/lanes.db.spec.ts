import type { ExecutionId } from '@connector/kernel/ids';
import type { RouteRef } from '../../model/inbound/delivery';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { arrive, claimLane, laneOf, latestRoute, record, strictRoute } from '@connector/testing/fixtures/ordered';
import { list } from '../lists/list';
import { readLane } from './lane';
import { laneState, laneView } from './lane-row';
import { laneList } from './lanes';
import { MEMBERS_MAX } from './members';

let schema: TestSchema;
let served: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount];
});
afterAll(() => schema.close());

describe('lanes', () => {
  it('listed: the lanes of an account in pages, the newest first, and those in one state', async () => {
    const records = ['r1', 'r2', 'r3', 'r4', 'r5'];
    for (const name of records) await arrive(schema.db, served, strictRoute(), [{ record: name, at: 1 }]);
    await claimLane(schema.db, served, laneOf(served, 'r2'));
    const ask = { accounts: [served.account], state: undefined, after: undefined, limit: 2 };
    const first = await list(schema.db, laneList, ask);
    const second = await list(schema.db, laneList, { ...ask, after: first.next ?? '' });
    const third = await list(schema.db, laneList, { ...ask, after: second.next ?? '' });
    const seen = [first, second, third].flatMap(({ rows }) => rows.map((row) => laneView(row).partition));
    expect([seen, third.next]).toEqual([records.toReversed(), null]);
    const atWork = await list(schema.db, laneList, { ...ask, state: 'at-work' });
    expect(atWork.rows.map(laneState)).toEqual(['at-work']);
    expect((await list(schema.db, laneList, { ...ask, accounts: ['south/acme' as ServedAccount['account']] })).rows).toEqual([]);
  });

  it('read: one lane with its high-water, what waits in it in its order, and what it misses', async () => {
    const lane = laneOf(served, 'r1');
    const [first, fourth, third] = await arrive(
      schema.db,
      served,
      strictRoute(),
      [1, 4, 3].map((at) => ({ record: 'r1', at })),
    );
    await claimLane(schema.db, served, lane);
    await record(schema, served, first as ExecutionId);
    await claimLane(schema.db, served, lane);
    const story = await readLane(schema.db, lane);
    expect(story).toMatchObject({
      ...{ lane_id: lane, account: 'north/acme', partition: 'r1', contract: 'strict_source_sequence', baseline: 'start 1' },
      ...{ high_water: '1', active_execution: null, held: null },
      members: [
        { execution_id: third, position: '3', state: 'waiting_dependency', attempts: 0 },
        { execution_id: fourth, position: '4', state: 'ready', attempts: 0 },
      ],
      gaps: [{ missing: '2', execution_id: third, state: 'waiting', disposition: null }],
    });
    expect(story?.due_at).toBe(story?.gaps[0]?.deadline);
  });

  it('read: of more than a page, those whose turn comes first: the lowest of a strict lane, the greatest of a latest one', async () => {
    const turns = async (route: RouteRef, record: string): Promise<readonly string[]> => {
      const places = Array.from({ length: MEMBERS_MAX + 1 }, (_, at) => ({ record, at: at + 1 }));
      await arrive(schema.db, served, route, places);
      return (await readLane(schema.db, laneOf(served, record, route)))?.members.map(({ position }) => position) ?? [];
    };
    const [strict, latest] = [await turns(strictRoute(), 'r1'), await turns(latestRoute(), 'r2')];
    expect([strict.length, strict[0], strict.at(-1)]).toEqual([MEMBERS_MAX, '1', '100']);
    expect([latest.length, latest[0], latest.at(-1)]).toEqual([MEMBERS_MAX, '101', '2']);
  });

  it('read: a latest lane at work, and none of an id that no lane has', async () => {
    const [second] = await arrive(schema.db, served, latestRoute(), [{ record: 'r1', at: 2 }]);
    await claimLane(schema.db, served, laneOf(served, 'r1'));
    const story = await readLane(schema.db, laneOf(served, 'r1'));
    expect(story).toMatchObject({ baseline: 'first_observed 2', active_execution: second, active_position: '2', high_water: null });
    expect(await readLane(schema.db, laneOf(served, 'r9'))).toBeUndefined();
  });
});
