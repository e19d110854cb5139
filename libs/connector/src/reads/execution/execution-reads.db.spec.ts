import { DefectFault } from '@connector/kernel/faults';
import { ExecutionId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { moveToNewEpoch, readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { claimExecutions } from '../../transitions/execution/claim-executions.tx';
import { recordResults } from '../../transitions/execution/record-results.tx';
import { awaitingExecutions, nextResultLook, standingClaims } from './awaiting';
import { claimCandidates, nextClaimDue } from './claim-candidates';
import { readSubmission } from './submission';

let schema: TestSchema;
let north: ServedAccount;
let south: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [north, south] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount, ServedAccount];
});
afterAll(() => schema.close());

const claim = (executions: readonly ExecutionId[]) => claimExecutions(schema.db, north, { claimant: 'test', leaseMs: 60_000, executions });
/** Gives the executions due times one second apart, the first the oldest. */
async function age(executions: readonly ExecutionId[]): Promise<void> {
  for (const [index, id] of executions.entries()) {
    const seconds = executions.length - index;
    await schema.sql(`UPDATE con_execution SET due_at = NOW(6) - INTERVAL ${seconds} SECOND WHERE execution_id = ?`, [
      ExecutionId.bytes(id),
    ]);
  }
}

describe('claim candidates', () => {
  it('are the due executions of the account and of its epoch, the oldest first, at most the limit', async () => {
    const ids = await readyExecutions(schema, north, ['a', 'b', 'c', 'd']);
    await readyExecutions(schema, south, ['e']);
    const order = [ids[2], ids[0], ids[3], ids[1]] as ExecutionId[];
    await age(order);
    expect((await claimCandidates(schema.db, north, 3)).executions).toEqual(order.slice(0, 3));
    await claim(order.slice(0, 1));
    expect((await claimCandidates(schema.db, north, 50)).executions).toEqual(order.slice(1));
    expect(await claimCandidates(schema.db, await moveToNewEpoch(schema, north), 50)).toEqual({ executions: [], lanes: [] });
    await expect(claimCandidates(schema.db, north, 51)).rejects.toBeInstanceOf(DefectFault);
  });

  it('are next due at the first due time or the first end of a lease, never once nothing is open', async () => {
    expect(await nextClaimDue(schema.db, north)).toBeNull();
    const [id] = (await readyExecutions(schema, north, ['a'])) as [ExecutionId];
    await claim([id]);
    const [row] = await schema.sql('SELECT leased_until FROM con_execution_attempt');
    expect(await nextClaimDue(schema.db, north)).toBe(`${String(row?.['leased_until']).replace(' ', 'T')}Z`);
    expect(await nextClaimDue(schema.db, south)).toBeNull();
    await recordResults(schema.db, north.account, [await receiptFor(schema, id)]);
    expect(await nextClaimDue(schema.db, north)).toBeNull();
  });
});

describe('awaiting executions', () => {
  it('are the claimed ones without a result, in pages by id; one that was never claimed owes nothing', async () => {
    const ids = [...(await readyExecutions(schema, north, ['a', 'b', 'c']))].sort();
    await readyExecutions(schema, north, ['never claimed']);
    expect(await awaitingExecutions(schema.db, north.account)).toEqual([]);
    expect(await nextResultLook(schema.db, north.account)).toBeNull();
    await claim(ids);
    const page = await awaitingExecutions(schema.db, north.account);
    expect(page.map(({ executionId }) => executionId)).toEqual(ids);
    expect(await awaitingExecutions(schema.db, north.account, ids[1])).toEqual(page.slice(2));
    expect(await awaitingExecutions(schema.db, south.account)).toEqual([]);
    expect(await nextResultLook(schema.db, north.account)).toMatch(/^\d{4}-.*Z$/);
    await recordResults(schema.db, north.account, [await receiptFor(schema, ids[0] as ExecutionId)]);
    expect((await awaitingExecutions(schema.db, north.account)).map(({ executionId }) => executionId)).toEqual(ids.slice(1));
  });

  it('stand while their lease does', async () => {
    const ids = await readyExecutions(schema, north, ['a', 'b', 'c', 'd']);
    await claim(ids.slice(0, 3));
    await schema.sql('UPDATE con_execution SET due_at = NOW(6) - INTERVAL 1 SECOND WHERE execution_id = ?', [
      ExecutionId.bytes(ids[0] as ExecutionId),
    ]);
    await recordResults(schema.db, north.account, [await receiptFor(schema, ids[1] as ExecutionId)]);
    expect(await standingClaims(schema.db, ids)).toEqual([ids[2]]);
    expect(await standingClaims(schema.db, [])).toEqual([]);
  });
});

describe('a submission', () => {
  it('is the whole ExecutionRef with the input of its projection (con:RCMD-F); of an unknown execution there is none', async () => {
    const [id] = (await readyExecutions(schema, north, ['a'])) as [ExecutionId];
    expect(await readSubmission(schema.db, id)).toMatchObject({
      account: 'north/acme',
      executionId: id,
      epochDigest: north.epochDigest,
      kind: 'inbound-route',
      businessKey: 'thing/changed',
      input: Buffer.from('{"mapped":{"key":"a"}}'),
    });
    expect(await readSubmission(schema.db, ExecutionId.mint())).toBeUndefined();
  });
});
