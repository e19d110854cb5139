import { EventId, type ExecutionId, LaneId, ProjectionId, ReceiptId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { codesOf, inShort, why } from '@connector/testing/fixtures/explain';
import { arrive, claimLane, laneOf, latestRoute, passDeadlines, record, strictRoute } from '@connector/testing/fixtures/ordered';
import { disposeGaps } from '../../transitions/execution/dispose-gaps.tx';

let schema: TestSchema;
let served: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
});
afterAll(() => schema.close());

const STRICT = strictRoute();
const arriveAt = (route: typeof STRICT, ...positions: readonly number[]): Promise<readonly ExecutionId[]> =>
  arrive(
    schema.db,
    served,
    route,
    positions.map((at) => ({ record: 'record', at })),
  );
const claim = () => claimLane(schema.db, served, laneOf(served, 'record'));

describe('explain, order', () => {
  it('ORDER_GAP: which position is missing, how far the lane is, until when it waits and what happens then (con:ORD-15, con:OPEN-19)', async () => {
    const [first] = await arriveAt(STRICT, 1);
    await claim();
    await record(schema, served, first as ExecutionId);
    const [third, fourth] = await arriveAt(STRICT, 3, 4);
    await claim();
    const answer = await why(schema, third as ExecutionId);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'ORDER_GAP', owner: 'pack-owners', alert: true, rows: 1 });
    expect(answer.reason?.headline).toBe('Position 3 of record is there; completed is 1, and position 2 has not been seen.');
    const [row] = await schema.sql('SELECT deadline FROM con_execution_dependency');
    expect(answer.policy).toEqual({ at: `${String(row?.['deadline']).replace(' ', 'T')}Z`, then: 'quarantine_gap' });
    expect(answer.evidence?.rows[0]).toMatchObject({ missing: '2', high_water: '1', state: 'waiting' });
    expect(answer.subject.state).toBe('waiting_dependency');
    expect(answer.will_not_help.join()).toContain('more claimants');
    expect((await why(schema, fourth as ExecutionId)).reason?.headline).toContain('position 2 has not been seen');
    expect((await why(schema, answer.subject.root ?? '')).reason?.code).toBe('ORDER_GAP');
  });

  it('ORDER_GAP_QUARANTINED: the execution that the deadline stopped; ORDER_LANE_HELD: what waits behind it', async () => {
    const [second, third] = await arriveAt(STRICT, 2, 3);
    await claim();
    await passDeadlines(schema);
    await disposeGaps(schema.db, served, [laneOf(served, 'record')]);
    const stopped = await why(schema, second as ExecutionId);
    expect(inShort(stopped)).toEqual({
      ...{ verdict: 'needs_person', code: 'ORDER_GAP_QUARANTINED', owner: 'pack-owners', alert: false, rows: 1 },
    });
    expect(stopped.reason?.headline).toMatch(/^Position 2 of record is quarantined: position 1 did not come until \d{4}-/);
    const behind = await why(schema, third as ExecutionId);
    expect(inShort(behind)).toEqual({ verdict: 'needs_person', code: 'ORDER_LANE_HELD', owner: 'pack-owners', alert: true, rows: 1 });
    expect(behind.reason?.headline).toContain('a missing position was not seen in time');
    expect(behind.evidence?.rows[0]).toMatchObject({ held: 'order_gap', due_at: null });
    expect(codesOf(await why(schema, stopped.subject.root ?? ''))).toEqual(
      expect.arrayContaining(['ORDER_GAP_QUARANTINED', 'ORDER_LANE_HELD']),
    );
  });

  it('ORDER_LANE_HELD: behind an execution that ended badly the lane says which and why (con:ORD-17)', async () => {
    const [first, second] = await arriveAt(STRICT, 1, 2);
    await claim();
    await record(schema, served, first as ExecutionId, 'failed');
    const answer = await why(schema, second as ExecutionId);
    expect(answer.reason?.headline).toBe('record stands at nothing: position 1 was failed. Behind it waits position 2.');
    expect(answer.may.map(({ kind }) => kind)).toEqual(['mint_upstream', 'declare_unsupported']);
  });

  it('ORDER_PREDECESSOR_ACTIVE: behind the one at work, and behind the next one that nobody has claimed', async () => {
    const [first, second] = await arriveAt(STRICT, 1, 2);
    const waits = await why(schema, second as ExecutionId);
    expect(waits.reason?.headline).toBe('Position 2 of record waits for position 1, which is not claimed yet; completed is nothing.');
    expect((await why(schema, first as ExecutionId)).reason?.code).toBe('NOT_PICKED_UP');
    await claim();
    const answer = await why(schema, second as ExecutionId);
    expect(inShort(answer)).toEqual({
      ...{ verdict: 'waiting', code: 'ORDER_PREDECESSOR_ACTIVE', owner: 'platform', alert: true, rows: 1 },
    });
    expect(answer.reason?.headline).toBe('Position 2 of record waits for position 1, which is at work; completed is nothing.');
    expect(answer.may[0]?.command).toBe(`connector explain ${first}`);
    expect(answer.evidence?.rows[0]).toMatchObject({ active_execution: first, active_position: '1' });
    expect(codesOf(await why(schema, first as ExecutionId))).toEqual(['LEASED']);
  });

  it('ORDER_SETTLING: until when, and how many positions were seen', async () => {
    const [second] = await arriveAt(latestRoute({ settleMs: 60_000 }), 2, 5);
    const answer = await why(schema, second as ExecutionId);
    expect(inShort(answer)).toEqual({ verdict: 'progressing', code: 'ORDER_SETTLING', owner: 'pack-owners', alert: true, rows: 1 });
    expect(answer.reason?.headline).toContain('positions seen: 2.');
    expect(answer.policy).toMatchObject({ then: 'apply_greatest' });
  });

  it('NOT_PICKED_UP: the greatest of a window that is over and that nobody claimed', async () => {
    const arrived = await arriveAt(latestRoute({ settleMs: 60_000 }), 2, 5);
    await schema.sql('UPDATE con_ordering_lane SET settles_at = NOW(6) - INTERVAL 1 SECOND, due_at = NOW(6)');
    expect((await why(schema, arrived.at(-1) as ExecutionId)).reason?.code).toBe('NOT_PICKED_UP');
  });

  it('a lane: what its next one waits for, what its one at work waits for, and done when nothing waits in it', async () => {
    const lane = laneOf(served, 'record');
    const [first] = await arriveAt(STRICT, 1);
    expect(await why(schema, lane)).toMatchObject({
      ...{ verdict: 'waiting', subject: { kind: 'lane', id: lane, state: 'waiting', root: null } },
      reason: { code: 'NOT_PICKED_UP', subject: first },
    });
    await claim();
    expect(await why(schema, lane)).toMatchObject({ subject: { state: 'at-work' }, reason: { code: 'LEASED', subject: first } });
    await record(schema, served, first as ExecutionId);
    expect(await why(schema, lane)).toMatchObject({ verdict: 'done', subject: { state: 'resting' }, reason: null });
    const [fourth, third] = await arriveAt(STRICT, 4, 3);
    await claim();
    const gap = await why(schema, lane);
    expect([gap.reason?.code, gap.reason?.subject, gap.subject.state]).toEqual(['ORDER_GAP', third, 'waiting']);
    expect((await why(schema, fourth as ExecutionId)).reason?.code).toBe('ORDER_GAP');
  });

  it('a latest lane: what its greatest position waits for', async () => {
    const [, fifth] = await arriveAt(latestRoute({ settleMs: 60_000 }), 2, 5);
    expect((await why(schema, laneOf(served, 'record'))).reason).toMatchObject({ code: 'ORDER_SETTLING', subject: fifth });
  });

  it('a held lane: needs a person although nothing waits in it, since what held it ended, and with it once something does', async () => {
    const lane = laneOf(served, 'record');
    const [first] = await arriveAt(STRICT, 1);
    await claim();
    await record(schema, served, first as ExecutionId, 'failed');
    const [ended] = await schema.sql('SELECT finished_at FROM con_execution');
    const alone = await why(schema, lane);
    expect(alone).toMatchObject({ verdict: 'needs_person', reason: { code: 'ORDER_LANE_HELD', subject: lane }, alert: null });
    expect(alone.reason?.headline).toBe('record stands at nothing: position 1 was failed. Behind it waits nothing yet.');
    expect(alone.reason?.since).toBe(`${String(ended?.['finished_at']).replace(' ', 'T')}Z`);
    const [second] = await arriveAt(STRICT, 2);
    const waited = await why(schema, lane);
    expect(waited.reason).toMatchObject({ code: 'ORDER_LANE_HELD', subject: second });
    expect(waited.reason?.headline).toContain('Behind it waits position 2.');
  });

  it('a lane that a gap holds: since the gap was decided; none of an id that no lane has', async () => {
    await arriveAt(STRICT, 2);
    await claim();
    await passDeadlines(schema);
    await disposeGaps(schema.db, served, [laneOf(served, 'record')]);
    const [gap] = await schema.sql('SELECT decided_at FROM con_execution_dependency');
    const { reason } = await why(schema, laneOf(served, 'record'));
    expect(reason).toMatchObject({ code: 'ORDER_LANE_HELD', since: `${String(gap?.['decided_at']).replace(' ', 'T')}Z` });
    await expect(why(schema, LaneId.mint())).rejects.toThrow();
  });

  it('ORDER_SUPERSEDED: told as done by decision, of an execution that was overtaken and of an input that came late (PUB-ORD-03, con:SUPD-R)', async () => {
    const [second, fifth] = await arriveAt(latestRoute(), 2, 5);
    await claim();
    const overtaken = await why(schema, second as ExecutionId);
    expect(inShort(overtaken)).toEqual({ verdict: 'done', code: 'ORDER_SUPERSEDED', owner: 'pack-owners', alert: false, rows: 1 });
    expect(overtaken.reason?.headline).toBe(
      `Decided without the application: position 2 of record is superseded (lower), ${fifth} was taken instead and nothing was completed.`,
    );
    await record(schema, served, fifth as ExecutionId);
    await arriveAt(latestRoute(), 3);
    const [row] = await schema.sql("SELECT projection_id FROM con_superseded_decision WHERE reason = 'late'");
    const [event] = await schema.sql('SELECT event_id, receipt_id FROM con_event ORDER BY recorded_at DESC LIMIT 1');
    const ids = [
      ProjectionId.of(row?.['projection_id'] as Buffer),
      EventId.of(event?.['event_id'] as Buffer),
      ReceiptId.of(event?.['receipt_id'] as Buffer),
    ];
    for (const id of ids) {
      const late = await why(schema, id);
      expect([late.verdict, late.reason?.code]).toEqual(['done', 'ORDER_SUPERSEDED']);
      expect(late.reason?.headline).toContain('is superseded (late), the high-water was 5.');
      expect(late.evidence?.rows[0]).toMatchObject({ source_position: '3', high_water: '5', reason: 'late' });
    }
  });
});
