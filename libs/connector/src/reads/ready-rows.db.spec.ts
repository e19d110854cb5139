import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { readyExecutions as mint } from '@connector/testing/fixtures/execution';
import { arrive, claimLane, laneOf, strictRoute } from '@connector/testing/fixtures/ordered';
import { readyExecutions } from './execution/ready-executions';
import { readyReceipts } from './inbound/ready-receipts';
import { readyEffects } from './outbound/ready-effects';
import { haltingGates } from './serving/halting-gates';

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

describe('ready rows by stage', () => {
  it('nothing ready is zero rows of no age, in every stage', async () => {
    const all = [...(await readyReceipts(schema.db)), ...(await readyExecutions(schema.db)), ...(await readyEffects(schema.db))];
    const stages = ['materialize', 'execution', 'result', 'effect', 'finalize', 'halt'];
    expect([...all, ...(await haltingGates(schema.db))]).toEqual(stages.map((stage) => ({ stage, rows: 0, oldestAgeSeconds: 0 })));
  });

  it('counts what is due and not what is leased, and tells the age of the oldest', async () => {
    await mint(schema, served, ['a', 'b', 'c']);
    await schema.sql('UPDATE con_execution SET due_at = NOW(6) - INTERVAL 90 SECOND ORDER BY execution_id LIMIT 1');
    await schema.sql(
      'UPDATE con_execution SET due_at = NOW(6) + INTERVAL 1 HOUR, awaiting_account = account ORDER BY execution_id DESC LIMIT 1',
    );
    const [due, awaiting] = await readyExecutions(schema.db);
    expect([due?.rows, awaiting?.rows]).toEqual([2, 1]);
    expect(Math.floor(due?.oldestAgeSeconds ?? 0)).toBeGreaterThanOrEqual(90);
  });

  it('counts a lane that is due once, whatever waits in it', async () => {
    await arrive(
      schema.db,
      served,
      strictRoute(),
      [1, 2, 3].map((at) => ({ record: 'r1', at })),
    );
    await mint(schema, served, ['a']);
    expect((await readyExecutions(schema.db))[0]?.rows).toBe(2);
    await claimLane(schema.db, served, laneOf(served, 'r1'));
    expect((await readyExecutions(schema.db)).map(({ rows }) => rows)).toEqual([1, 1]);
  });

  it('counts an account that is halting', async () => {
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2', changed_at = NOW(6) - INTERVAL 5 SECOND");
    const [halting] = await haltingGates(schema.db);
    expect(halting).toMatchObject({ stage: 'halt', rows: 1 });
    expect(halting?.oldestAgeSeconds).toBeGreaterThanOrEqual(5);
  });
});
