import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery } from '@connector/testing/fixtures/delivery';
import { readyExecutions } from '@connector/testing/fixtures/execution';
import {
  arrive,
  claimLane,
  laneOf,
  laneRow,
  latestRoute,
  orderedItem,
  record,
  stateOf,
  strictRoute,
} from '@connector/testing/fixtures/ordered';
import { countOf } from '@connector/testing/fixtures/serving';
import { admitAndMaterialize, prepareDelivery } from './admit-and-materialize.tx';
import { materializeReceipt } from './materialize-receipts.tx';

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

const STRICT = strictRoute();
const arriveAt = (route: typeof STRICT, ...positions: readonly number[]): Promise<readonly ExecutionId[]> =>
  arrive(
    schema.db,
    served,
    route,
    positions.map((at) => ({ record: 'r1', at })),
  );
async function applied(at: number, route = STRICT): Promise<void> {
  const [execution] = await arriveAt(route, at);
  await claimLane(schema.db, served, lane);
  await record(schema, served, execution as ExecutionId);
}
/** When a lane is looked at next: `now`, `later`, or `never`. */
async function due(): Promise<string> {
  const [row] = await schema.sql('SELECT ready_account IS NULL AS rests, due_at <= NOW(6) AS now FROM con_ordering_lane');
  return row?.['rests'] === 1 ? 'never' : row?.['now'] === 1 ? 'now' : 'later';
}

describe('materialize-receipts › lanes', () => {
  it('none: con:ORD-12 order-independent work opens no lane and is claimed without one', async () => {
    await readyExecutions(schema, served, ['a', 'b']);
    expect(await countOf(schema, 'con_ordering_lane')).toBe(0);
    expect(await schema.sql('SELECT 1 FROM con_execution WHERE ready_account IS NOT NULL AND open_lane IS NULL')).toHaveLength(2);
  });

  it('stored: con:ORD-06 con:OCON-M contract digest, partition, kind, position and tie-breaker as exact bytes; the lane has the frozen contract', async () => {
    await arrive(schema.db, served, latestRoute({ settleMs: 5_000 }), [{ record: 'r1', at: 258, tie: 3 }]);
    const [event] = await schema.sql(
      'SELECT ordering_partition, position_kind, HEX(source_position) AS position, HEX(tie_breaker) AS tie FROM con_event',
    );
    expect(event).toEqual({
      ...{ ordering_partition: Buffer.from('north/acme\0r1'), position_kind: Buffer.from('u64') },
      ...{ position: '0000000000000102', tie: '0000000000000003' },
    });
    const [row] = await schema.sql(
      `SELECT l.contract_digest = e.ordering_contract_digest AS same, l.contract_kind, l.settle_ms, l.hold_on, l.baseline_kind,
              HEX(l.baseline_position) AS baseline, l.high_water FROM con_ordering_lane l JOIN con_event e`,
    );
    expect(row).toEqual({
      ...{ same: 1, contract_kind: Buffer.from('latest_source_position'), settle_ms: 5_000, hold_on: Buffer.from('failed') },
      ...{ baseline_kind: Buffer.from('first_observed'), baseline: '0000000000000102', high_water: null },
    });
  });

  it('one lane: con:LANE-K con:LANE-F con:OCON-K con:OCON-R however often and together its items come; an item under another contract is a defect', async () => {
    await arriveAt(STRICT, 1, 2);
    await arriveAt(STRICT, 3);
    expect(await countOf(schema, 'con_ordering_lane')).toBe(1);
    await expect(arriveAt(latestRoute(), 4)).rejects.toMatchObject({ code: 'HOUSE:connector:LaneContract' });
  });

  it('due: con:ORD-14 a strict lane at once for its successor and for the first sign of a gap, and for nothing else that comes', async () => {
    await arriveAt(STRICT, 3);
    expect(await due()).toBe('now');
    await claimLane(schema.db, served, lane);
    expect(await due()).toBe('later');
    await arriveAt(STRICT, 2, 4);
    expect(await due()).toBe('later');
    await arriveAt(STRICT, 1);
    expect(await due()).toBe('now');
    await claimLane(schema.db, served, lane);
    await arriveAt(STRICT, 5);
    expect(await due()).toBe('later');
  });

  it('due: a latest lane at the end of its window', async () => {
    await arriveAt(latestRoute({ settleMs: 60_000 }), 3);
    expect(await due()).toBe('later');
  });

  it.each([
    ['strict', STRICT],
    ['latest', latestRoute({ settleMs: 60_000 })],
  ])('never: con:OPEN-17 con:ORD-17 whatever comes, a held %s lane is not due', async (_kind, route) => {
    await arriveAt(route, 3);
    await schema.sql("UPDATE con_ordering_lane SET held_reason = 'failed', ready_account = NULL, settles_at = NULL");
    await arriveAt(route, 1, 4);
    expect(await due()).toBe('never');
  });

  it('late: con:SUPD-F con:SUPD-K con:OMAT-W at or below the high-water: event, projection and decision, and no execution', async () => {
    await applied(1);
    const [again, twin] = await arrive(schema.db, served, STRICT, [
      { record: 'r1', at: 1, name: 'again' },
      { record: 'r1', at: 1, name: 'twin' },
    ]);
    expect([await stateOf(schema, again as ExecutionId), await stateOf(schema, twin as ExecutionId)]).toEqual(['not minted', 'not minted']);
    const rows = await schema.sql(
      `SELECT s.reason, HEX(s.source_position) AS position, HEX(s.high_water) AS high_water, s.execution_id, s.overtaken_by
         FROM con_superseded_decision s JOIN con_projection p ON p.projection_id = s.projection_id`,
    );
    const decision = { reason: Buffer.from('late'), position: '0000000000000001', high_water: '0000000000000001' };
    expect(rows).toEqual([decision, decision].map((one) => ({ ...one, execution_id: null, overtaken_by: null })));
    expect([await countOf(schema, 'con_event'), await due()]).toEqual([3, 'never']);
  });

  it('late: con:OPEN-14 before the position where a strict lane begins, in a lane that nothing opened before', async () => {
    const [first, fifth] = await arriveAt(strictRoute({ start: { kind: 'u64', value: 5n } }), 1, 5);
    expect([await stateOf(schema, first as ExecutionId), await stateOf(schema, fifth as ExecutionId)]).toEqual(['not minted', 'ready']);
    expect((await claimLane(schema.db, served, lane)).kind).toBe('claimed');
  });

  it('again: con:OMAT-O an item that comes twice has one place in its lane', async () => {
    await arriveAt(STRICT, 1);
    const [same] = await arriveAt(STRICT, 1);
    expect([await stateOf(schema, same as ExecutionId), await countOf(schema, 'con_execution')]).toEqual(['ready', 1]);
  });

  it('materialized: con:OMAT-P con:OMAT-L the sweep finds the lanes that are there and opens the others', async () => {
    await applied(1);
    const alone = prepareDelivery(served, STRICT, delivery(served, 'wide', 'wide'), { kind: 'deferred' });
    await admitAndMaterialize(schema.db, served, STRICT, [alone]);
    const changes = [
      { record: 'r1', at: 1, name: 'late' },
      { record: 'r1', at: 2 },
      { record: 'r2', at: 1 },
    ];
    const items = changes.map((change, ordinal) => orderedItem(STRICT, ordinal, change));
    const { receiptId } = alone.delivery;
    const chunk = { receiptId, route: STRICT, from: 0, next: 3, last: true, items };
    expect(await materializeReceipt(schema.db, served, chunk)).toMatchObject({ kind: 'materialized', events: 3, superseded: 1 });
    expect([await countOf(schema, 'con_ordering_lane'), (await laneRow(schema, lane)).ready]).toEqual([2, true]);
  });
});

describe('order of arrival', () => {
  /** A lane a permutation, all at once: the k-th delivery has the k-th position of every record. */
  const permutations = (of: readonly number[]): readonly (readonly number[])[] =>
    of.length === 0 ? [[]] : of.flatMap((one) => permutations(of.filter((other) => other !== one)).map((rest) => [one, ...rest]));

  it('last: PUB-ORD-01 con:ORD-01 of all 120 orders of five positions each ends with the greatest, and nobody sees a lower one behind it', async () => {
    const route = latestRoute();
    const orders = permutations([1, 2, 3, 4, 5]);
    const seen = new Map<string, number[]>(orders.map((_, index) => [`p${index}`, []]));
    for (let step = 0; step < 5; step += 1) {
      const changes = orders.map((order, index) => ({ record: `p${index}`, at: order[step] as number }));
      const ids = await arrive(schema.db, served, route, changes);
      for (const [index, { record: name, at }] of changes.entries()) {
        if ((await stateOf(schema, ids[index] as ExecutionId)) === 'not minted') continue;
        const claimed = await claimLane(schema.db, served, laneOf(served, name));
        if (claimed.kind !== 'claimed') continue;
        seen.get(name)?.push(at);
        await record(schema, served, claimed.executionId);
      }
    }
    for (const positions of seen.values()) {
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      expect(positions.at(-1)).toBe(5);
    }
    const appliedCount = [...seen.values()].reduce((sum, positions) => sum + positions.length, 0);
    expect(await countOf(schema, 'con_superseded_decision')).toBe(600 - appliedCount);
  });

  it('completed alone: PUB-ORD-02 con:ORD-13 after an outage the last state is applied, and what led there is decided as late', async () => {
    const route = latestRoute();
    await applied(3, route);
    const earlier = [...(await arriveAt(route, 2)), ...(await arriveAt(route, 1))];
    for (const id of earlier) expect(await stateOf(schema, id)).toBe('not minted');
    expect((await claimLane(schema.db, served, lane)).kind).toBe('not-due');
    const reasons = await schema.sql('SELECT reason FROM con_superseded_decision');
    expect(reasons.map(({ reason }) => String(reason))).toEqual(['late', 'late']);
    expect(await countOf(schema, 'con_execution_attempt')).toBe(1);
  });
});
