import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { arrive, claimLane, laneOf, laneRow, latestRoute, resultFor, stateOf, strictRoute } from '@connector/testing/fixtures/ordered';
import { countOf } from '@connector/testing/fixtures/serving';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { recordResults, type RuntimeReceipt } from './record-results.tx';

let schema: TestSchema;
let served: ServedAccount;
let lane: LaneId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  await begin();
});
afterAll(() => schema.close());

async function begin(): Promise<void> {
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  lane = laneOf(served, 'r1');
}

type Act = (db: Db) => Promise<unknown>;
/** `first` holds what it locked at its commit while `second` comes and waits; then both go on. */
async function inOrder(door: string, first: Act, second: Act): Promise<readonly unknown[]> {
  const signals = new Signals();
  const stop = signals.stopAt(`${door}/commit`);
  const one = first(schema.another(signals.hook));
  await stop.reached;
  const two = second(schema.another());
  await somebodyWaitsAt(schema, 'lock con_serving_gate');
  stop.release();
  return Promise.all([one, two]);
}

const STRICT = strictRoute();
const change =
  (at: number, route = STRICT): Act =>
  (db) =>
    arrive(db, served, route, [{ record: 'r1', at }]);
const claim: Act = async (db) => (await claimLane(db, served, lane)).kind;
const recording =
  (receipt: RuntimeReceipt): Act =>
  async (db) =>
    (await recordResults(db, served.account, [receipt]))[0]?.kind;

/** Position 1 at work, with the result that the Runtime has of it. */
async function atWork(): Promise<RuntimeReceipt> {
  const [first] = (await change(1)(schema.db)) as readonly ExecutionId[];
  await claim(schema.db);
  return resultFor(schema, first as ExecutionId);
}

describe('lanes › race: claim | claim, same lane', () => {
  it('claimed: con:LANE-K con:ORD-11 of two at once, in both orders, one is at work and the other writes nothing', async () => {
    for (const name of ['one', 'two']) {
      await schema.reset();
      await begin();
      await change(1)(schema.db);
      expect([name, await inOrder('claim-lanes', claim, claim)]).toEqual([name, ['claimed', 'not-due']]);
      expect(await countOf(schema, 'con_execution_attempt')).toBe(1);
    }
  });
});

describe('lanes › race: materialize | record, same lane', () => {
  it('due: con:OMAT-L con:RREC-L whichever commits first, the position that came is claimed next', async () => {
    const receipt = await atWork();
    await inOrder('admit-and-materialize', change(2), recording(receipt));
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: 1, ready: true });
    expect(await claim(schema.db)).toBe('claimed');
  });

  it('due: the other order, where the lane was at rest between the two', async () => {
    const receipt = await atWork();
    await inOrder('record-results', recording(receipt), change(2));
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: 1, ready: true });
    expect(await claim(schema.db)).toBe('claimed');
  });

  it('late: con:SUPD-K a latest lane decides the same input once, before or behind the result that passes it', async () => {
    const route = latestRoute();
    for (const first of ['record-results', 'admit-and-materialize']) {
      await schema.reset();
      await begin();
      const [fifth] = (await change(5, route)(schema.db)) as readonly ExecutionId[];
      await claim(schema.db);
      const result = recording(await resultFor(schema, fifth as ExecutionId));
      const fourth = change(4, route);
      const [one, two] = await (first === 'record-results' ? inOrder(first, result, fourth) : inOrder(first, fourth, result));
      const [lower] = (first === 'record-results' ? two : one) as readonly ExecutionId[];
      const minted = await stateOf(schema, lower as ExecutionId);
      expect([first, minted]).toEqual([first, first === 'record-results' ? 'not minted' : 'ready']);
      const kind = await claim(schema.db);
      expect([first, kind]).toEqual([first, first === 'record-results' ? 'not-due' : 'rested']);
      expect(await countOf(schema, 'con_superseded_decision')).toBe(1);
      expect(await countOf(schema, 'con_execution_attempt')).toBe(1);
    }
  });
});

describe('lanes › race: record | claim next', () => {
  it('claimed: con:ORD-16 the next position only behind the commit of the one before', async () => {
    const receipt = await atWork();
    await change(2)(schema.db);
    expect(await inOrder('record-results', recording(receipt), claim)).toEqual(['recorded', 'claimed']);
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: 1, active: 2 });
  });

  it('not-due: the other order; nothing of the next position is written while the first one is at work', async () => {
    const receipt = await atWork();
    await change(2)(schema.db);
    expect(await inOrder('claim-lanes', claim, recording(receipt))).toEqual(['not-due', 'recorded']);
    expect(await laneRow(schema, lane)).toMatchObject({ highWater: 1, active: null, ready: true });
    expect(await countOf(schema, 'con_execution_attempt')).toBe(1);
  });
});
