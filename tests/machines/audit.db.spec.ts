import { OperationId, type ExecutionId } from '@connector/kernel/ids';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { concludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import { resumeGate } from '@connector/connector/transitions/serving/resume-gate.tx';
import type { GateFence } from '@connector/kernel/brand';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { CONFIRMED } from '@connector/testing/fixtures/outbound';
import { serviceRow } from '@connector/testing/fixtures/serving';
import { importsOf } from '../tidy/ast';
import { isProduction, planted, repository, type Source } from '../tidy/repo';
import { Calls } from './outbound';
import { Tap } from './tap';

let schema: TestSchema;
let tap: Tap;

beforeAll(async () => {
  schema = await mainSchema();
  tap = new Tap(schema);
});
beforeEach(async () => {
  await schema.reset();
  await serviceRow(schema);
});
afterAll(async () => {
  await tap.close();
  await schema.close();
});

/** The whole way of one execution and one call, then a halt and a resume; `between` is done after every door. */
async function wholePath(between: () => Promise<unknown>): Promise<unknown> {
  const [served] = (await serveAccounts(schema, ['in/acme'])) as [ServedAccount];
  const [executionId] = (await readyExecutions(schema, served, ['a'])) as [ExecutionId];
  const answers: unknown[] = [];
  const door = async (answer: unknown): Promise<void> => {
    answers.push(answer);
    await between();
  };
  await door(await claimExecutions(tap.db, served, { claimant: 'c-1', leaseMs: 60_000, executions: [executionId] }));
  await door(await recordResults(tap.db, served.account, [await receiptFor(schema, executionId)]));
  const calls = new Calls(schema, tap);
  const call = await calls.sending();
  await between();
  await door(await calls.settle(call, CONFIRMED));
  await door(await calls.finalize(call));
  const { account } = call.served;
  const move = (fence: bigint) => ({ operationId: OperationId.mint(), account, expectedFence: fence as GateFence, by: 'ops', reason: 'x' });
  await door(await haltGate(tap.db, move(7n)));
  await door(await concludeHalt(tap.db, move(8n)));
  await door(await resumeGate(tap.db, move(9n)));
  return answers.map((answer) => JSON.stringify(answer, hide));
}

/** Ids are minted; everything else must be the same. */
const hide = (key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  return /Id$/.test(key) ? 'id' : value;
};

/** Modules that name the outbox and are not the one that appends to it. */
const readers = (files: readonly Source[]): readonly string[] =>
  files
    .filter(({ path }) => isProduction(path) && path.startsWith('libs/') && !/^libs\/schema\//.test(path))
    .filter((file) => importsOf(file).has('conAuditOutbox') || file.text.includes('con_audit_outbox'))
    .map(({ path }) => path)
    .filter((path) => !['libs/connector/src/fences/audit.ts', 'libs/connector/src/model/paths.ts'].includes(path));

describe('audit', () => {
  it.each([
    ['gone', 'DELETE FROM con_audit_outbox'],
    ['empty', "UPDATE con_audit_outbox SET items = '', door = '', account = ''"],
    ['a lie', `UPDATE con_audit_outbox SET items = '[{"from":"prepared","to":"finalized"}]', at = '2001-01-01'`],
  ])('the same answers: con:INV-17 although after every door its rows are %s', async (_what, change) => {
    const untouched = await wholePath(() => Promise.resolve());
    expect(await schema.sql('SELECT 1 FROM con_audit_outbox')).not.toEqual([]);
    await schema.reset();
    await serviceRow(schema);
    expect(await wholePath(() => schema.sql(change))).toEqual(untouched);
  });

  it('nobody: con:INV-17 reads the outbox in production but a list for people; a planted reader is found', () => {
    const lists = /^libs\/connector\/src\/reads\/lists\//;
    expect(readers(repository()).filter((path) => !lists.test(path) && !path.startsWith('libs/testing/'))).toEqual([]);
    const reader = planted('libs/connector/src/transitions/x.tx.ts', "import { conAuditOutbox } from '@connector/schema/connector/audit';");
    expect(readers([reader])).toEqual(['libs/connector/src/transitions/x.tx.ts']);
  });
});
