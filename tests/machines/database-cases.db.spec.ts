import { connectorDoors } from '@connector/connector/model/paths';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { type ExecutionId, OperationId } from '@connector/kernel/ids';
import { MAIN_TABLES } from '@connector/schema/tables';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { Signals } from '@connector/testing/signals';

const MINUTES = 60_000;
const LEASE_MS = 5 * MINUTES;
const ACCOUNTS = 64;
const names = Array.from({ length: ACCOUNTS }, (_, at) => `north/a${at}`);

let schema: TestSchema;
let served: readonly ServedAccount[];

beforeAll(async () => {
  schema = await mainSchema();
  served = await serveAccounts(schema, names);
});
afterEach(() => jest.useRealTimers());
afterAll(() => schema.close());

/** What the clocks of this process say; the timers and the database go on as they are. */
function clockOff(minutes: number): void {
  jest.useFakeTimers({ now: performance.timeOrigin + performance.now() + minutes * MINUTES, doNotFake: TIMERS });
}
const TIMERS = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/** Two claimants, each by its clock: the first leases, the second asks at once and after the end of the lease, the first asks again and records. */
async function turns(account: ServedAccount, [first = 0, second = 0]: readonly number[]) {
  const executions = await readyExecutions(schema, account, ['one', 'two']);
  const kinds: string[] = [];
  const held: boolean[] = [];
  const claim = async (claimant: string, clock: number): Promise<void> => {
    clockOff(clock);
    const answers = await claimExecutions(schema.db, account, { claimant, leaseMs: LEASE_MS, executions });
    kinds.push(...answers.map((answer) => (answer.kind === 'claimed' ? `claimed ${answer.attempt}` : answer.kind)));
    held.push(...(await leases(account)));
  };
  await claim('first', first);
  await claim('second', second);
  await schema.sql('UPDATE con_execution SET due_at = NOW(6) WHERE account = ?', [Buffer.from(account.account)]);
  await claim('second', second);
  await claim('first', first);
  const receipts = [await receiptFor(schema, executions[0] as ExecutionId), await receiptFor(schema, executions[1] as ExecutionId)];
  const recorded = (await recordResults(schema.db, account.account, receipts)).map(({ kind }) => kind);
  return { kinds, held, recorded };
}

/** Of each execution whether it is held for its lease from about now on, by the database's clock: no shorter and no longer. */
async function leases({ account }: ServedAccount): Promise<readonly boolean[]> {
  const left = 'TIMESTAMPDIFF(MICROSECOND, NOW(6), due_at) / 1000';
  const rows = await schema.sql(`SELECT ${left} AS ms FROM con_execution WHERE account = ?`, [Buffer.from(account)]);
  return rows.map(({ ms }) => Number(ms) <= LEASE_MS && Number(ms) > LEASE_MS - MINUTES);
}

describe('cases of the database', () => {
  it.each([
    ['ahead', 'behind', 10, -10],
    ['behind', 'ahead', -10, 10],
  ])(
    'the database alone has a clock: one claimant ten minutes %s and one ten minutes %s get what two true ones get (PUB-DB-01)',
    async (one, _other, ...clocks) => {
      const [wrong, right] = await serveAccounts(schema, [`clock/${one}`, `clock/${one}-true`]);
      const answers = await turns(wrong as ServedAccount, clocks);
      expect(answers).toEqual(await turns(right as ServedAccount, [0, 0]));
      // By its own clock the lease of the other is over by far, or has not begun.
      expect([answers.held.every(Boolean), answers.recorded]).toEqual([true, ['recorded', 'recorded']]);
      expect(answers.kinds).toEqual(['claimed 1', 'claimed 1', 'not-due', 'not-due', 'claimed 2', 'claimed 2', 'not-due', 'not-due']);
    },
  );

  it('no row that everybody updates: whatever an admission locks or updates is of one account (PUB-DB-06)', () => {
    const touched = [...connectorDoors['admit-and-materialize'].names].filter((name) => /^(lock|update) /.test(name));
    expect(touched.length).toBeGreaterThan(4);
    const tableOf = (name: string) => MAIN_TABLES.find((table) => table.name === /^\w+ (\w+)/.exec(name)?.[1]);
    expect(touched.filter((name) => !Object.keys(tableOf(name)?.columns ?? {}).includes('account'))).toEqual([]);
  });

  it('no row that everybody updates: while one gate is held, the other sixty-three accounts admit (PUB-DB-06)', async () => {
    const [held, ...others] = served as readonly [ServedAccount, ...ServedAccount[]];
    const signals = new Signals();
    const stop = signals.stopAt('halt-gate/commit');
    const asked = { operationId: OperationId.mint(), account: held.account, expectedFence: held.fence, by: 'test', reason: 'test' };
    const halting = haltGate(schema.another(signals.hook), asked);
    await Promise.race([stop.reached, halting]);
    let over = false;
    const ended = halting.finally(() => (over = true));
    for (const one of others) {
      const prepared = prepareDelivery(one, ROUTE, delivery(one, 'one', 'one'), { kind: 'items', items: [item(0, 'one')] });
      expect(await admitAndMaterialize(schema.db, one, ROUTE, [prepared])).toMatchObject([{ kind: 'admitted' }]);
    }
    expect(over).toBe(false);
    stop.release();
    expect(await ended).toMatchObject({ kind: 'halting' });
  });
});
