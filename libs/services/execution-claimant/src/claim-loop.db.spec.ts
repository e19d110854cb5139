import { RetryableFault } from '@connector/kernel/faults';
import type { ExecutionId } from '@connector/kernel/ids';
import { standingClaims } from '@connector/connector/reads/execution/awaiting';
import type { ServiceClient } from '@connector/platform/http/service-client';
import { Log } from '@connector/platform/telemetry/log';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { readyExecutions } from '@connector/testing/fixtures/execution';
import { ClaimDelays } from './claim-delays';
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
