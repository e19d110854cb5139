import { ExecutionId } from '@connector/kernel/ids';
import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { moveToNewEpoch, readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { claimExecutions, type ClaimExecution } from './claim-executions.tx';
import { recordResults } from './record-results.tx';

let schema: TestSchema;
let served: ServedAccount;
let other: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served, other] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount, ServedAccount];
});
afterAll(() => schema.close());

const claim = (executions: readonly ExecutionId[], basis = served, db = schema.db): Promise<readonly ClaimExecution[]> =>
  claimExecutions(db, basis, { claimant: 'claimant-1', leaseMs: 60_000, executions });
const kinds = (answers: readonly { readonly kind: string }[]): readonly string[] => answers.map(({ kind }) => kind);
async function count(table: string): Promise<number> {
  return Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
}
async function endLeases(): Promise<void> {
  await schema.sql('UPDATE con_execution SET due_at = NOW(6) - INTERVAL 1 SECOND');
}

describe('claim-executions', () => {
  it('claimed: con:CLM-W con:XAT-F leases each for one try, with an attempt row under the gate fence (PUB-EXE-09)', async () => {
    const ids = await readyExecutions(schema, served, ['a', 'b']);
    const answers = await claim(ids);
    expect(answers.map((answer) => (answer.kind === 'claimed' ? [answer.executionId, answer.attempt] : answer))).toEqual(
      ids.map((id) => [id, 1]),
    );
    const rows = await schema.sql(
      `SELECT a.ordinal, a.claimant, a.gate_fence, a.leased_until = e.due_at AS same, TIMESTAMPDIFF(SECOND, NOW(6), e.due_at) BETWEEN 50 AND 60 AS lease,
              e.attempt_count, e.awaiting_account, e.state
         FROM con_execution_attempt a JOIN con_execution e USING (execution_id)`,
    );
    const expected = { ordinal: 1, claimant: Buffer.from('claimant-1'), gate_fence: '7', same: 1, lease: 1, attempt_count: 1 };
    expect(rows).toEqual(ids.map(() => ({ ...expected, awaiting_account: Buffer.from('north/acme'), state: Buffer.from('ready') })));
  });

  it('not-due: a claimed execution stays with its claimant until the lease ends', async () => {
    const ids = await readyExecutions(schema, served, ['a']);
    await claim(ids);
    expect(kinds(await claim(ids))).toEqual(['not-due']);
    expect(await count('con_execution_attempt')).toBe(1);
  });

  it('claimed: con:CLM-O con:CRASH-04 after the lease the same execution and the same command are submitted again (PUB-EXE-03)', async () => {
    const ids = await readyExecutions(schema, served, ['a']);
    const [first] = await claim(ids);
    await endLeases();
    const [second] = await claim(ids);
    expect(first).toMatchObject({ kind: 'claimed', attempt: 1 });
    expect(second).toEqual({ ...first, attempt: 2 });
  });

  it('not-ready: a completed execution is not claimed again (PUB-EXE-07)', async () => {
    const ids = await readyExecutions(schema, served, ['a']);
    await claim(ids);
    await recordResults(schema.db, served.account, [await receiptFor(schema, ids[0] as ExecutionId)]);
    expect(await claim(ids)).toEqual([{ kind: 'not-ready', state: 'completed' }]);
  });

  it('other-epoch: con:CHN-05 work that another epoch admitted is not claimed under this one', async () => {
    const ids = await readyExecutions(schema, served, ['a']);
    const moved = await moveToNewEpoch(schema, served);
    expect(await claim(ids, moved)).toEqual([{ kind: 'other-epoch', epochDigest: served.epochDigest }]);
    expect(await count('con_execution_attempt')).toBe(0);
  });

  it('not-found: an execution of another account, and one that nobody knows, are not there; a neighbour goes on', async () => {
    const [mine] = await readyExecutions(schema, served, ['a']);
    const [theirs] = await readyExecutions(schema, other, ['b']);
    expect(kinds(await claim([theirs as ExecutionId, mine as ExecutionId, ExecutionId.mint()]))).toEqual([
      'not-found',
      'claimed',
      'not-found',
    ]);
  });

  it('not-serving, epoch-not-active, fence-moved: con:CLM-X con:INV-03 under any of them nothing is leased', async () => {
    const ids = await readyExecutions(schema, served, ['a']);
    expect(kinds(await claim(ids, { ...served, fence: (served.fence + 1n) as ServedAccount['fence'] }))).toEqual(['fence-moved']);
    await schema.sql("UPDATE con_epoch SET state = 'draining'");
    expect(kinds(await claim(ids))).toEqual(['epoch-not-active']);
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2'");
    expect(kinds(await claim(ids))).toEqual(['not-serving']);
    expect(await count('con_execution_attempt')).toBe(0);
  });

  it('claimed: con:CLM-L race: of two claimers at once, in both orders, exactly one has the lease', async () => {
    for (const [first, second] of [
      ['claimant-1', 'claimant-2'],
      ['claimant-2', 'claimant-1'],
    ] as const) {
      const ids = await readyExecutions(schema, served, [first]);
      const signals = new Signals();
      const stop = signals.stopAt('claim-executions/commit');
      const one = claimExecutions(schema.another(signals.hook), served, { claimant: first, leaseMs: 60_000, executions: ids });
      await stop.reached;
      const two = claimExecutions(schema.another(), served, { claimant: second, leaseMs: 60_000, executions: ids });
      await somebodyWaitsAt(schema, 'lock con_serving_gate');
      stop.release();
      expect([...kinds(await one), ...kinds(await two)]).toEqual(['claimed', 'not-due']);
    }
  });
});

describe('record-results', () => {
  async function claimed(): Promise<ExecutionId> {
    const ids = await readyExecutions(schema, served, ['a']);
    await claim(ids);
    return ids[0] as ExecutionId;
  }
  const record = async (...args: Parameters<typeof receiptFor> extends [unknown, ...infer Rest] ? Rest : never) =>
    recordResults(schema.db, served.account, [await receiptFor(schema, ...args)]);

  it('recorded: con:RREC-W con:EXEC-02 correlation, completion and the end of the ready index in one commit', async () => {
    const id = await claimed();
    expect(await record(id)).toEqual([{ kind: 'recorded' }]);
    const [row] = await schema.sql(
      'SELECT state, ready_account, awaiting_account, active_projection, finished_at IS NOT NULL AS finished FROM con_execution',
    );
    expect(row).toEqual({
      state: Buffer.from('completed'),
      ready_account: null,
      awaiting_account: null,
      active_projection: null,
      finished: 1,
    });
    expect(await count('con_result_correlation')).toBe(1);
    expect(await count('con_audit_outbox')).toBe(1);
  });

  it('recorded: con:RREC-O con:CRASH-06 the same receipt again is the same answer and no second row', async () => {
    const id = await claimed();
    await record(id);
    expect(await record(id)).toEqual([{ kind: 'recorded' }]);
    expect(await count('con_result_correlation')).toBe(1);
    expect(await count('con_audit_outbox')).toBe(1);
  });

  it('recorded: the same receipt twice in one batch is one row and two answers', async () => {
    const receipt = await receiptFor(schema, await claimed());
    expect(kinds(await recordResults(schema.db, served.account, [receipt, receipt]))).toEqual(['recorded', 'recorded']);
    expect(await count('con_result_correlation')).toBe(1);
  });

  it('recorded-otherwise: con:INV-27 another receipt for a completed execution changes nothing (PUB-EXE-06)', async () => {
    const id = await claimed();
    await record(id);
    expect(kinds(await record(id, 'another'))).toEqual(['recorded-otherwise']);
    expect(await count('con_result_correlation')).toBe(1);
  });

  it('not-found: con:RREC-X con:IDN-15 another command, another ExecutionRef, another account and an unknown execution look alike', async () => {
    const receipt = await receiptFor(schema, await claimed());
    const wrong = [
      { ...receipt, executionRefDigest: Digest.sha256(Buffer.from('other')) },
      { ...receipt, executionId: ExecutionId.mint() },
    ];
    expect(await recordResults(schema.db, served.account, wrong)).toEqual([{ kind: 'not-found' }, { kind: 'not-found' }]);
    expect(await recordResults(schema.db, other.account, [receipt])).toEqual([{ kind: 'not-found' }]);
    expect(await count('con_result_correlation')).toBe(0);
  });

  it('not-claimed: con:INV-24 a result of something that nobody claimed completes nothing', async () => {
    const [id] = await readyExecutions(schema, served, ['a']);
    expect(await record(id as ExecutionId)).toEqual([{ kind: 'not-claimed' }]);
  });

  it('not-ready: a quarantined execution is not completed', async () => {
    const id = await claimed();
    await schema.sql("UPDATE con_execution SET state = 'quarantined'");
    expect(await record(id)).toEqual([{ kind: 'not-ready', state: 'quarantined' }]);
  });

  it('other-epoch: con:CHN-05 a result of another epoch’s work is not recorded under this one', async () => {
    const id = await claimed();
    await moveToNewEpoch(schema, served);
    expect(kinds(await record(id))).toEqual(['other-epoch']);
  });

  it.each(['v2_serving', 'halting_v2', 'v2_halted'])(
    'recorded: con:OPEN-15 what was claimed before a halt is completed in %s',
    async (mode) => {
      const id = await claimed();
      await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
      expect(await record(id)).toEqual([{ kind: 'recorded' }]);
    },
  );

  it.each(['v1_serving', 'v1_drained', 'v2_validating'])('not-serving: con:OPEN-15 nothing is recorded in %s', async (mode) => {
    const id = await claimed();
    await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
    expect(await record(id)).toEqual([{ kind: 'not-serving', mode }]);
  });
});
