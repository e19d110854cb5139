import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { readyExecutions } from '@connector/testing/fixtures/execution';
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
afterEach(() => jest.restoreAllMocks());
afterAll(() => schema.close());

describe('cases of the database', () => {
  it('the database alone has a clock: a claimant whose own is ten minutes off takes no lease early and holds none longer (PUB-DB-01)', async () => {
    const [account] = served as [ServedAccount];
    const executions = await readyExecutions(schema, account, ['one', 'two']);
    const claim = (claimant: string, clock: number) => {
      jest.spyOn(Date, 'now').mockReturnValue(performance.timeOrigin + performance.now() + clock * MINUTES);
      return claimExecutions(schema.db, account, { claimant, leaseMs: LEASE_MS, executions });
    };
    const kinds = (answers: Awaited<ReturnType<typeof claim>>) => answers.map(({ kind }) => kind);
    expect(kinds(await claim('behind', -10))).toEqual(['claimed', 'claimed']);
    // Ahead by twice the lease: by its own clock the leases are over.
    expect(kinds(await claim('ahead', 10))).toEqual(['not-due', 'not-due']);
    const [lease] = await schema.sql('SELECT MAX(TIMESTAMPDIFF(SECOND, NOW(6), leased_until)) AS left_s FROM con_execution_attempt');
    expect(Math.abs(Number(lease?.['left_s']) - LEASE_MS / 1_000)).toBeLessThan(30);
    await schema.sql('UPDATE con_execution SET due_at = NOW(6) - INTERVAL 1 SECOND');
    expect(kinds(await claim('behind', -10))).toEqual(['claimed', 'claimed']);
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
