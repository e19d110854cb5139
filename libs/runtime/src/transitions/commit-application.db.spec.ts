import { Digest } from '@connector/kernel/digest';
import { DefectFault } from '@connector/kernel/faults';
import { CommandId, EffectGenerationId, ExecutionId, OutboundCommandId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand, commitOf, outboundOf } from '@connector/testing/fixtures/application';
import { moveToNewEpoch } from '@connector/testing/fixtures/execution';
import { authored, enabledCredential } from '@connector/testing/fixtures/outbound';
import type { RecordSeen } from '../model/application';
import { readRecords } from '../reads/records';
import { readResults } from '../reads/results';
import type { RuntimeCommand } from './accept-command.tx';
import { commitApplication, type ApplicationCommit } from './commit-application.tx';

let schema: TestSchema;
let source: ServedAccount;
let desk: ServedAccount;
let mail: ServedAccount;
let command: RuntimeCommand;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [source, desk, mail] = (await serveAccounts(schema, ['north/acme', 'desk/acme', 'zmail/acme'])) as [
    ServedAccount,
    ServedAccount,
    ServedAccount,
  ];
  command = await acceptedCommand(schema, source);
});
afterAll(() => schema.close());

const commit = (over: Partial<ApplicationCommit> = {}, to: readonly ServedAccount[] = []) =>
  commitApplication(schema.db, commitOf(source, command, over, to));
const count = async (table: string): Promise<number> => Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
const raised = async (): Promise<readonly string[]> =>
  (await schema.sql('SELECT stage, account FROM con_account_work WHERE produced = 1 AND due_at <= NOW(6) ORDER BY stage, account')).map(
    (row) => `${String(row['stage'])} ${String(row['account'])}`,
  );
const absent = (key: string): RecordSeen => ({ collection: 'thing', key, version: null, value: null });
const key = { collection: 'thing', key: 'a' };
const moved = (one: ServedAccount): ServedAccount => ({ ...one, fence: (one.fence + 1n) as ServedAccount['fence'] });

async function nothingWritten(): Promise<void> {
  expect(await count('run_application_result')).toBe(0);
  expect(await count('run_outbound_command')).toBe(0);
  expect(await count('run_feed_head')).toBe(0);
  expect(await schema.sql('SELECT * FROM run_record WHERE value IS NOT NULL')).toEqual([]);
  expect(await raised()).toEqual([]);
}

describe('commit-application', () => {
  it('committed: con:RTC-W con:ARES-F con:OAU-W result, record and outbound command are one commit, and their stages are told', async () => {
    const wanted = { commands: [outboundOf(command, desk)], records: [absent('a')], changes: [{ ...key, value: { seq: 1 } }] };
    const answer = await commit(wanted, [desk]);
    const { result } = commitOf(source, command);
    expect(answer).toEqual({ kind: 'committed', outcome: 'applied', resultDigest: result.resultDigest });
    expect(await schema.sql('SELECT * FROM run_application_result')).toEqual([
      expect.objectContaining({
        command_id: CommandId.bytes(command.commandId),
        execution_ref_digest: Digest.bytes(command.executionRefDigest),
        outcome: Buffer.from('applied'),
        result: result.result,
        result_digest: Digest.bytes(result.resultDigest),
        commit_receipt: result.commitReceipt,
        commit_receipt_digest: Digest.bytes(result.commitReceiptDigest),
      }),
    ]);
    expect(await readRecords(schema.db, [key])).toEqual([{ ...key, version: 1n, value: { seq: 1 } }]);
    expect(await count('run_outbound_command')).toBe(1);
    expect(await raised()).toEqual(['effect desk/acme', 'result north/acme']);
  });

  it('committed: con:OBC-F con:FDB-F everything that dispatch may depend on is frozen in the row', async () => {
    const wanted = outboundOf(command, desk);
    await commit({ commands: [wanted] }, [desk]);
    const [row] = await schema.sql('SELECT * FROM run_outbound_command');
    expect(row).toMatchObject({
      outbound_command_id: OutboundCommandId.bytes(wanted.outboundCommandId),
      idempotency_key: Digest.bytes(wanted.idempotencyKey),
      application_scope: Digest.bytes(wanted.applicationScope),
      effect_root: Digest.bytes(wanted.effectRoot),
      effect_slot: Buffer.from('main'),
      effect_generation_id: EffectGenerationId.bytes(wanted.effectGenerationId),
      account: Buffer.from('desk/acme'),
      command_id: CommandId.bytes(command.commandId),
      execution_id: ExecutionId.bytes(command.executionId),
      epoch_digest: Digest.bytes(source.epochDigest),
      pack_payload_digest: Digest.bytes(wanted.packPayloadDigest),
      route_policy_digest: Digest.bytes(wanted.routePolicyDigest),
      configuration_digest: Digest.bytes(wanted.configurationDigest),
      digest_profile: Buffer.from('nexuscrm.connector-digest-profile.v2'),
      request_digest: Digest.bytes(wanted.requestDigest),
      provider_key: null,
      binding_digest: Digest.bytes(wanted.bindingDigest),
      request: wanted.request,
      request_bytes: wanted.request.length,
      feed_seq: '1',
    });
  });

  it.each(['applied', 'noop', 'rejected', 'failed'] as const)(
    'committed: con:ARES-01 %s is a terminal outcome like the others',
    async (outcome) => {
      expect(await commit({ outcome })).toMatchObject({ kind: 'committed', outcome });
      expect(await readResults(schema.db, [command])).toMatchObject([{ kind: 'found', outcome }]);
    },
  );

  it('committed: con:RTC-O con:ARES-M con:CRASH-05 a second run answers the first result, whatever it would have written', async () => {
    const first = await commit({ commands: [outboundOf(command, desk)] }, [desk]);
    const again = await commit({ commands: [outboundOf(command, desk)] }, [desk]);
    const other = await commit({ outcome: 'failed', records: [absent('b')] });
    expect([again, other]).toEqual([first, first]);
    expect(await count('run_application_result')).toBe(1);
    expect(await count('run_outbound_command')).toBe(1);
    expect(await count('run_record')).toBe(0);
    expect(await schema.sql('SELECT next_seq FROM run_feed_head')).toEqual([{ next_seq: '2' }]);
  });

  it('committed: con:RTC-O what was committed is answered under a halted gate and a moved fence too', async () => {
    const first = await commit();
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2', fence = fence + 1");
    expect(await commit()).toEqual(first);
  });

  it('not-found: con:IDN-15 con:ARES-R another ExecutionRef, another account and an unknown command look alike', async () => {
    const wrong = Digest.sha256(Buffer.from('other'));
    expect(await commit({ executionRefDigest: wrong })).toEqual({ kind: 'not-found' });
    expect(await commit({ commandId: CommandId.mint() })).toEqual({ kind: 'not-found' });
    expect(await commitApplication(schema.db, commitOf(desk, command))).toEqual({ kind: 'not-found' });
    await nothingWritten();
    await commit();
    const asked = [command, { ...command, executionRefDigest: wrong }, { ...command, commandId: CommandId.mint() }];
    expect(await readResults(schema.db, asked)).toEqual([
      expect.objectContaining({ kind: 'found' }),
      { kind: 'absent' },
      { kind: 'absent' },
    ]);
  });

  describe('con:OAU-X con:OPEN-43 under a fence that does not hold, nothing is written and no failed result is recorded', () => {
    const sends = (): Partial<ApplicationCommit> => ({
      commands: [outboundOf(command, desk)],
      records: [absent('a')],
      changes: [{ ...key, value: 1 }],
    });

    it.each(['halting_v2', 'v2_halted'])('not-serving: the source is %s', async (mode) => {
      await schema.sql('UPDATE con_serving_gate SET mode = ? WHERE account = ?', [mode, Buffer.from(source.account)]);
      expect(await commit(sends(), [desk])).toEqual({ kind: 'not-serving', mode });
      await nothingWritten();
    });

    it('not-serving: the destination alone is halting', async () => {
      await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2' WHERE account = ?", [Buffer.from(desk.account)]);
      expect(await commit(sends(), [desk])).toEqual({ kind: 'not-serving', mode: 'halting_v2' });
      await nothingWritten();
    });

    it('fence-moved: of the source, and of the destination alone', async () => {
      expect(await commitApplication(schema.db, { ...commitOf(source, command, sends()), gates: [moved(source), desk] })).toEqual({
        kind: 'fence-moved',
        fence: source.fence,
      });
      expect(await commit(sends(), [moved(desk)])).toEqual({ kind: 'fence-moved', fence: desk.fence });
      await nothingWritten();
    });

    it('epoch-not-active: the epoch of both gates is draining', async () => {
      await schema.sql("UPDATE con_epoch SET state = 'draining'");
      expect(await commit(sends(), [desk])).toEqual({ kind: 'epoch-not-active', state: 'draining' });
      await nothingWritten();
    });

    it('epoch-not-active: con:CHN-05 the destination serves under another epoch than the ExecutionRef', async () => {
      expect(await commit(sends(), [await moveToNewEpoch(schema, desk)])).toEqual({ kind: 'epoch-not-active', state: 'other-epoch' });
      await nothingWritten();
    });

    it('epoch-not-active: the source serves under another epoch than the ExecutionRef', async () => {
      const next = await moveToNewEpoch(schema, source);
      expect(await commitApplication(schema.db, commitOf(next, command))).toEqual({ kind: 'epoch-not-active', state: 'other-epoch' });
      await nothingWritten();
    });
  });

  it('command-conflict: con:OAU-X con:UNIQ-16 a tuple that another origin took is not taken again, and nothing else is written', async () => {
    const wanted = outboundOf(command, desk);
    await authored(schema, desk, 9, await enabledCredential(schema), { outbound_command_id: wanted.outboundCommandId });
    expect(await commit({ commands: [wanted], records: [absent('a')], changes: [{ ...key, value: 1 }] }, [desk])).toEqual({
      kind: 'command-conflict',
    });
    expect(await count('run_application_result')).toBe(0);
    expect(await schema.sql('SELECT * FROM run_record WHERE value IS NOT NULL')).toEqual([]);
    expect(await raised()).toEqual([]);
  });

  it.each(['idempotency_key', 'effect_slot'])(
    'refused: con:UNIQ-16 con:OBC-K the database keeps the %s of two commands apart',
    async (column) => {
      await commit({ commands: [outboundOf(command, desk), outboundOf(command, desk, { slot: 'second' })] }, [desk]);
      const [row] = await schema.sql("SELECT * FROM run_outbound_command WHERE effect_slot = 'main'");
      const tuple = ['application_scope', 'effect_root', 'effect_slot', 'effect_generation_id'];
      const columns = column === 'idempotency_key' ? [column] : tuple;
      const set = columns.map((name) => `${name} = ?`).join(', ');
      const values = columns.map((name) => row?.[name]);
      await expect(schema.sql(`UPDATE run_outbound_command SET ${set} WHERE effect_slot = 'second'`, values)).rejects.toThrow(/Duplicate/);
    },
  );
});

describe('commit-application: records', () => {
  it('committed: con:RTC-W a record that was read present is changed at the version that was seen', async () => {
    await commit({ records: [absent('a')], changes: [{ ...key, value: { seq: 1 } }] });
    command = await acceptedCommand(schema, source);
    const seen = await readRecords(schema.db, [key]);
    expect(await commit({ records: seen, changes: [{ ...key, value: { seq: 2 } }] })).toMatchObject({ kind: 'committed' });
    expect(await readRecords(schema.db, [key])).toEqual([{ ...key, version: 2n, value: { seq: 2 } }]);
  });

  it('records-moved: a record that moved since it was read, even one that is only read, lets nothing be written', async () => {
    await commit({ records: [absent('a')], changes: [{ ...key, value: 1 }] });
    await schema.sql('UPDATE con_account_work SET produced = 0, due_at = NULL');
    command = await acceptedCommand(schema, source);
    const stale: RecordSeen = { ...key, version: 0n, value: null };
    expect(await commit({ outcome: 'noop', records: [stale] })).toEqual({ kind: 'records-moved' });
    const sends = { commands: [outboundOf(command, desk)], records: [stale], changes: [{ ...key, value: 2 }] };
    expect(await commit(sends, [desk])).toEqual({ kind: 'records-moved' });
    expect(await readResults(schema.db, [command])).toEqual([{ kind: 'absent' }]);
    expect(await readRecords(schema.db, [key])).toEqual([{ ...key, version: 1n, value: 1 }]);
    expect(await count('run_outbound_command')).toBe(0);
    expect(await raised()).toEqual([]);
  });

  it('records-moved: a record that was read as absent and is there by now', async () => {
    await commit({ records: [absent('a')], changes: [{ ...key, value: 1 }] });
    command = await acceptedCommand(schema, source);
    expect(await commit({ records: [absent('a')], changes: [{ ...key, value: 2 }] })).toEqual({ kind: 'records-moved' });
    expect(await readRecords(schema.db, [key])).toEqual([{ ...key, version: 1n, value: 1 }]);
  });

  it('records-moved: a record that was read present and is not there', async () => {
    expect(await commit({ records: [{ ...key, version: 3n, value: 1 }] })).toEqual({ kind: 'records-moved' });
    expect(await count('run_record')).toBe(0);
  });

  it('committed: what a commit read as absent is held by version 0, so whoever saw the same absence has to look again', async () => {
    expect(await commit({ outcome: 'noop', records: [absent('a')] })).toMatchObject({ kind: 'committed' });
    command = await acceptedCommand(schema, source);
    expect(await commit({ records: [absent('a')] })).toEqual({ kind: 'records-moved' });
    const seen = await readRecords(schema.db, [key]);
    expect(seen).toEqual([{ ...key, version: 0n, value: null }]);
    expect(await commit({ records: seen, changes: [{ ...key, value: 1 }] })).toMatchObject({ kind: 'committed' });
  });

  it('committed: records come in any order, present and absent ones mixed, and a value may become null again', async () => {
    await commit({ records: [absent('a')], changes: [{ ...key, value: 1 }] });
    command = await acceptedCommand(schema, source);
    const seen = [absent('z'), ...(await readRecords(schema.db, [key])), absent('B')];
    const changes = [
      { ...key, key: 'z', value: 'z' },
      { ...key, key: 'B', value: { b: [true] } },
      { ...key, value: null },
    ];
    expect(await commit({ records: seen, changes })).toMatchObject({ kind: 'committed' });
    expect((await readRecords(schema.db, changes)).map(({ version, value }) => [version, value])).toEqual([
      [1n, 'z'],
      [1n, { b: [true] }],
      [2n, null],
    ]);
  });
});

describe('commit-application: feeds', () => {
  it('committed: several destinations get places of their own feeds, in the order in which they were authored', async () => {
    const wanted = [
      outboundOf(command, mail),
      outboundOf(command, desk, { slot: 'a' }),
      outboundOf(command, source, { slot: 'b' }),
      outboundOf(command, desk, { slot: 'c' }),
    ];
    expect(await commit({ commands: wanted }, [desk, mail])).toMatchObject({ kind: 'committed' });
    const rows = await schema.sql('SELECT account, feed_seq, effect_slot FROM run_outbound_command ORDER BY account, feed_seq');
    expect(rows.map((row) => [row['account'], row['feed_seq'], row['effect_slot']].map(String).join(' '))).toEqual([
      'desk/acme 1 a',
      'desk/acme 2 c',
      'north/acme 1 b',
      'zmail/acme 1 main',
    ]);
    expect(await raised()).toEqual(['effect desk/acme', 'effect north/acme', 'effect zmail/acme', 'result north/acme']);
  });

  it('committed: con:OAU-O con:CRASH-07 a retry of the same intent is the same command under the same key', () => {
    expect(outboundOf(command, desk)).toEqual(outboundOf(command, desk));
    const ids = [outboundOf(command, desk), outboundOf(command, desk, { slot: 'b' }), outboundOf(command, desk, { intent: 'other' })];
    expect(new Set(ids.map(({ outboundCommandId }) => outboundCommandId)).size).toBe(3);
    expect(outboundOf(command, mail).idempotencyKey).toBe(outboundOf(command, desk).idempotencyKey);
  });

  it('defect: a commit whose gates are not exactly those of its accounts is never begun', async () => {
    const wanted = { commands: [outboundOf(command, desk)] };
    await expect(commit(wanted, [])).rejects.toBeInstanceOf(DefectFault);
    await expect(commit(wanted, [desk, mail])).rejects.toBeInstanceOf(DefectFault);
    await expect(commit(wanted, [desk, desk])).rejects.toBeInstanceOf(DefectFault);
    await nothingWritten();
  });

  it('defect: a change of a record that was not read is never begun', async () => {
    await expect(commit({ changes: [{ ...key, value: 1 }] })).rejects.toMatchObject({ code: 'HOUSE:runtime:ChangeOfUnreadRecord' });
    await expect(commit({ records: [absent('a'), absent('a')] })).rejects.toMatchObject({ code: 'HOUSE:runtime:ChangeOfUnreadRecord' });
    await nothingWritten();
  });

  it('defect: con:OAU-P a command authored under the identity of another execution is rolled back', async () => {
    const other = await acceptedCommand(schema, source);
    const theirs = { ...outboundOf(other, desk), commandId: command.commandId };
    await expect(commit({ commands: [outboundOf(other, desk)] }, [desk])).rejects.toMatchObject({ code: 'HOUSE:runtime:CommandOfAnother' });
    await expect(commit({ commands: [theirs] }, [desk])).rejects.toMatchObject({ code: 'HOUSE:runtime:CommandOfAnother' });
    await nothingWritten();
  });
});
