import { RetryableFault } from '@connector/kernel/faults';
import { type ExecutionId, LaneId } from '@connector/kernel/ids';
import { standingClaims } from '@connector/connector/reads/execution/awaiting';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { claimLanes } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import type { ServiceClient } from '@connector/platform/http/service-client';
import { Log } from '@connector/platform/telemetry/log';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { ClaimDelays } from './claim-delays';
import { arrive, latestRoute, passDeadlines, strictRoute } from '@connector/testing/fixtures/ordered';
import { ClaimLoop } from './claim-loop';
import { InHand } from './in-hand';
import { inParallel } from './in-parallel';
import { RuntimeClient } from './runtime-client';

let schema: TestSchema;
let demo: DemoEpoch;
let lines: Record<string, unknown>[];
let accounts: string[];
let executions: ExecutionId[];
let observed: [string, number][];
const going = new AbortController().signal;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
  await schema.sql("INSERT INTO con_channel_key_gate (account, channel, fence) VALUES (?, 'hook', 1)", [Buffer.from(DESTINATION)]);
  [lines, accounts, executions, observed] = [[], [], [], []];
});
afterAll(() => schema.close());

const keys = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const accepts: ServiceClient['call'] = (_method, _path, body) => {
  const { account, execution_id: id } = body as { account: string; execution_id: ExecutionId };
  accounts.push(account);
  executions.push(id);
  return Promise.resolve({ status: 202, body: { kind: 'accepted' } });
};

function claiming(max: number, call = accepts): { readonly loop: ClaimLoop; readonly inHand: InHand; readonly delays: ClaimDelays } {
  const inHand = new InHand(max, (held) => standingClaims(schema.db, held));
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = new Log({ service: 'test', generation: 'test', level: 'info', destination: { write } });
  const runtime = new RuntimeClient({ call, close: () => Promise.resolve() });
  const delays = new ClaimDelays({ claimDelay: (led, seconds) => void observed.push([led, seconds]) });
  const loop = new ClaimLoop({ db: schema.db, views: new EpochViews(schema.db), runtime, inHand, claimant: 'test', delays, log });
  return { loop, inHand, delays };
}
const countOf = (account: string): number => accounts.filter((one) => one === account).length;

describe('claim loop', () => {
  it('worked: when the room ran out with one account, the next look begins with the one behind it', async () => {
    await readyExecutions(schema, demo.source, keys(60, 'a'));
    await readyExecutions(schema, demo.destination, keys(60, 'b'));
    const { loop, inHand } = claiming(20);
    for (let look = 0; look < 4; look += 1) {
      expect(await loop.once(going, 'poll')).toBe('worked');
      inHand.done(executions);
    }
    expect([countOf(SOURCE), countOf(DESTINATION)]).toEqual([40, 40]);
  });

  it('idle: without room nothing is claimed; a claim whose lease ended makes room again', async () => {
    await readyExecutions(schema, demo.source, keys(6, 'a'));
    const { loop } = claiming(4);
    expect([await loop.once(going, 'poll'), await loop.once(going, 'poll'), executions.length]).toEqual(['worked', 'idle', 4]);
    await schema.sql('UPDATE con_execution SET due_at = NOW(6)');
    expect([await loop.once(going, 'poll'), executions.length]).toEqual(['worked', 8]);
  });

  it('warned: from the second try on each claim tells how often it was made, and none is refused for it', async () => {
    await readyExecutions(schema, demo.source, ['a']);
    const { loop } = claiming(4);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await loop.once(going, 'poll');
      await schema.sql('UPDATE con_execution SET due_at = NOW(6)');
      await schema.sql("UPDATE con_account_work SET due_at = NOW(6) WHERE stage = 'execution'");
    }
    const told = lines.filter(({ evt }) => evt === 'claimed-again');
    expect(told.map(({ level, attempts, row }) => [level, attempts, row])).toEqual([2, 3, 4, 5].map((n) => ['warn', n, executions[0]]));
  });

  it('idle: a sweep over a hundred terminal executions changes none, nor does a claim that names them (PUB-EXE-07)', async () => {
    const { source } = demo;
    const ids = await readyExecutions(schema, source, keys(100, 'a'));
    const claim = () => claimExecutions(schema.db, source, { claimant: 'late', leaseMs: 0, executions: ids });
    await claim();
    const receipts = await Promise.all(ids.map((id) => receiptFor(schema, id)));
    await recordResults(schema.db, source.account, receipts);
    await schema.sql("UPDATE con_account_work SET produced = produced + 1, due_at = NOW(6) WHERE stage = 'execution'");
    const rows = () => schema.sql('SELECT * FROM con_execution ORDER BY execution_id');
    const before = await rows();
    expect(new Set(before.map((row) => String(row['state'])))).toEqual(new Set(['completed']));
    expect([await claiming(1_000).loop.once(going, 'poll'), executions]).toEqual(['idle', []]);
    expect(await claim()).toEqual(ids.map(() => ({ kind: 'not-ready', state: 'completed' })));
    expect(await rows()).toEqual(before);
    expect(Number((await schema.sql('SELECT COUNT(*) AS n FROM con_execution_attempt'))[0]?.['n'])).toBe(100);
  });

  it('retryable: a Runtime that is away is told to the loop, after the whole claim was tried', async () => {
    await readyExecutions(schema, demo.source, keys(3, 'a'));
    let tries = 0;
    const { loop } = claiming(10, () => {
      tries += 1;
      return Promise.reject(new RetryableFault('HOUSE:http:Unreachable', 'away'));
    });
    await expect(loop.once(going, 'poll')).rejects.toBeInstanceOf(RetryableFault);
    expect(tries).toBe(3);
  });

  it.each(['wake', 'poll'] as const)(
    'measured: a claim by %s counts from when its account became due, a look without a claim not',
    async (led) => {
      await readyExecutions(schema, demo.source, ['a']);
      await schema.sql("UPDATE con_account_work SET due_at = NOW(6) - INTERVAL 3 SECOND WHERE stage = 'execution'");
      const { loop, delays } = claiming(4);
      expect([await loop.once(going, led), await loop.once(going, led)]).toEqual(['worked', 'idle']);
      const { [`by_${led}` as const]: mine, ...others } = delays.summary();
      expect(Object.values(others)).toEqual([{ count: 0, median_ms: null }]);
      expect(mine).toEqual({ count: 1, median_ms: expect.any(Number) });
      expect(mine.median_ms).toBeGreaterThanOrEqual(3_000);
      expect(mine.median_ms).toBeLessThan(13_000);
      expect(observed).toEqual([[led, expect.closeTo((mine.median_ms ?? 0) / 1000, 2)]]);
    },
  );

  it('not measured: what is found while at work was waited for by neither', async () => {
    await readyExecutions(schema, demo.source, ['a']);
    const { loop, delays } = claiming(4);
    expect(await loop.once(going, 'work')).toBe('worked');
    expect(delays.summary()).toEqual({ by_wake: { count: 0, median_ms: null }, by_poll: { count: 0, median_ms: null } });
  });

  const lanesOf = (records: readonly string[], at: number) => records.map((record) => ({ record, at }));
  const due = () => schema.sql("UPDATE con_account_work SET due_at = NOW(6) WHERE stage = 'execution'");
  const states = async (): Promise<readonly string[]> =>
    (await schema.sql('SELECT state FROM con_execution ORDER BY source_position')).map(({ state }) => String(state));

  it('worked: con:CLM-O of each lane one, and beside them what is in no lane', async () => {
    await arrive(schema.db, demo.source, strictRoute(), [...lanesOf(['r1', 'r2'], 1), ...lanesOf(['r1', 'r2'], 2)]);
    await readyExecutions(schema, demo.source, ['loose']);
    const { loop } = claiming(20);
    expect([await loop.once(going, 'work'), executions.length]).toEqual(['worked', 3]);
    expect([await loop.once(going, 'work'), executions.length]).toEqual(['idle', 3]);
  });

  it.each([
    ['quarantine', ['quarantined', 'ready'], 0],
    ['skip', ['ready', 'ready'], 1],
  ] as const)(
    'idle: con:ORD-15 con:CLM-X a gap waits with nobody at it, and its deadline is swept: %s',
    async (gapThen, after, submitted) => {
      const route = strictRoute({ gapThen });
      await arrive(schema.db, demo.source, route, [...lanesOf(['r1'], 2), ...lanesOf(['r1'], 3)]);
      const { loop } = claiming(20);
      expect([await loop.once(going, 'work'), await states()]).toEqual(['idle', ['waiting_dependency', 'ready']]);
      const [work] = await schema.sql(
        `SELECT TIMESTAMPDIFF(MINUTE, NOW(), w.due_at) BETWEEN 28 AND 30 AS later FROM con_account_work w
      WHERE w.stage = 'execution' AND w.account = ?`,
        [Buffer.from(SOURCE)],
      );
      expect(work).toEqual({ later: 1 });
      await passDeadlines(schema);
      await due();
      expect(await loop.once(going, 'work')).toBe('idle');
      await loop.once(going, 'work');
      expect([await states(), executions.length]).toEqual([after, submitted]);
      expect(lines.filter(({ evt }) => evt === 'gap-deadline')).toHaveLength(1);
    },
  );

  it('worked: con:ORD-13 a window is over by the database’s clock, and the greatest alone is handed on', async () => {
    const [, fifth] = await arrive(schema.db, demo.source, latestRoute({ settleMs: 3_600_000 }), [
      ...lanesOf(['r1'], 2),
      ...lanesOf(['r1'], 5),
    ]);
    const { loop } = claiming(20);
    expect(await loop.once(going, 'work')).toBe('idle');
    await passDeadlines(schema);
    await due();
    expect([await loop.once(going, 'work'), executions]).toEqual(['worked', [fifth]]);
  });

  it('worked: a gate that somebody holds is passed by for another account and waited for after two tries (decisions 3.8)', async () => {
    await readyExecutions(schema, demo.source, ['held']);
    await readyExecutions(schema, demo.destination, ['free']);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let reached = (): void => undefined;
    const held = new Promise<void>((resolve) => (reached = resolve));
    const holder = schema.another(async ({ step }) => {
      if (step !== 'commit') return;
      reached();
      await released;
    });
    const holding = claimLanes(holder, demo.source, { claimant: 'c-0', leaseMs: 60_000, lanes: [LaneId.of(Buffer.alloc(16))] });
    await held;
    let submitted = (): void => undefined;
    const free = new Promise<void>((resolve) => (submitted = resolve));
    const running = claiming(20, (...args) => {
      submitted();
      return accepts(...args);
    }).loop.once(going, 'work');
    await free;
    expect([countOf(SOURCE), countOf(DESTINATION)]).toEqual([0, 1]);
    release();
    await holding;
    expect([await running, countOf(SOURCE)]).toEqual(['worked', 1]);
  });

  it('idle: nothing is claimed once it must stop', async () => {
    await readyExecutions(schema, demo.source, ['a']);
    expect([await claiming(4).loop.once(AbortSignal.abort(), 'poll'), executions.length]).toEqual(['idle', 0]);
  });
});

describe('in parallel', () => {
  it('answers in order, at most so many at once, and throws only when nothing runs any more', async () => {
    let [open, most, ended] = [0, 0, 0];
    const one = async (item: number): Promise<number> => {
      open += 1;
      most = Math.max(most, open);
      for (let turn = 0; turn < 10 - item; turn += 1) await Promise.resolve();
      open -= 1;
      ended += 1;
      if (item === 2) throw new RangeError('second');
      return item * 10;
    };
    expect(await inParallel([5, 1, 7, 3], 3, one)).toEqual([50, 10, 70, 30]);
    expect(most).toBe(3);
    ended = 0;
    await expect(inParallel([1, 2, 3, 4, 5], 2, one)).rejects.toBeInstanceOf(RangeError);
    expect([ended, open]).toEqual([5, 0]);
    expect(await inParallel([], 4, one)).toEqual([]);
  });
});
