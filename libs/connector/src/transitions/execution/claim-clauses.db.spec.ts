import type { GateFence } from '@connector/kernel/brand';
import type { ExecutionId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { countOf } from '@connector/testing/fixtures/serving';
import { claimExecutions, type ClaimExecution } from './claim-executions.tx';
import { recordResults } from './record-results.tx';

let schema: TestSchema;
let served: ServedAccount;
let execution: ExecutionId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount];
  [execution] = (await readyExecutions(schema, served, ['a'])) as [ExecutionId];
});
afterAll(() => schema.close());

async function claim(basis = served): Promise<ClaimExecution['kind'] | undefined> {
  const [answer] = await claimExecutions(schema.db, basis, { claimant: 'c-1', leaseMs: 60_000, executions: [execution] });
  return answer?.kind;
}
const attempts = (): Promise<number> => countOf(schema, 'con_execution_attempt');

describe('claim-executions, clause by clause', () => {
  it('claimed: con:CLM-P where every clause is true', async () => {
    expect(await claim()).toBe('claimed');
    expect(await attempts()).toBe(1);
  });

  it.each([
    ['not-serving', 'the gate halts', "UPDATE con_serving_gate SET mode = 'halting_v2'"],
    ['epoch-not-active', 'the epoch drains', "UPDATE con_epoch SET state = 'draining'"],
    ['not-ready', 'it waits for a dependency', "UPDATE con_execution SET state = 'waiting_dependency'"],
    ['not-ready', 'it is quarantined', "UPDATE con_execution SET state = 'quarantined'"],
    ['not-due', 'it is leased', 'UPDATE con_execution SET due_at = NOW(6) + INTERVAL 1 HOUR'],
    ['other-epoch', 'another epoch admitted it', 'UPDATE con_execution SET epoch_digest = REPEAT(0x00, 32)'],
    ['not-found', 'it is of another account', "UPDATE con_execution SET account = 'south/acme'"],
  ])('%s: con:CLM-P only because %s, and there is no attempt', async (kind, _why, change) => {
    await schema.sql(change);
    expect(await claim()).toBe(kind);
    expect(await attempts()).toBe(0);
  });

  it('fence-moved: con:CLM-P only because the gate moved since the look, and there is no attempt', async () => {
    expect(await claim({ ...served, fence: (served.fence - 1n) as GateFence })).toBe('fence-moved');
    expect(await attempts()).toBe(0);
  });
});

describe('a lease', () => {
  it('claimed: con:INV-19 con:INV-24 its end completes nothing and frees nothing: the same execution and command, once more', async () => {
    await claim();
    const before = await receiptFor(schema, execution);
    await schema.sql("UPDATE con_execution SET due_at = '2001-01-01'");
    await schema.sql("UPDATE con_execution_attempt SET leased_until = '2001-01-01'");
    expect(await schema.sql('SELECT state, attempt_count FROM con_execution')).toMatchObject([{ attempt_count: 1 }]);
    expect(await claim()).toBe('claimed');
    expect(await receiptFor(schema, execution)).toEqual(before);
    const [row] = await schema.sql('SELECT state, attempt_count FROM con_execution');
    expect([String(row?.['state']), row?.['attempt_count']]).toEqual(['ready', 2]);
  });

  it('recorded: con:INV-19 its end takes nothing from the result that comes late (PUB-EXE-05)', async () => {
    await claim();
    await schema.sql("UPDATE con_execution SET due_at = '2001-01-01'");
    expect(await recordResults(schema.db, served.account, [await receiptFor(schema, execution)])).toEqual([{ kind: 'recorded' }]);
  });
});
