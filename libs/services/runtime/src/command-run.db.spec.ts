import { CommandId, GenerationId } from '@connector/kernel/ids';
import { RetryableFault } from '@connector/kernel/faults';
import { jcs, type Json } from '@connector/kernel/jcs';
import { Log } from '@connector/platform/telemetry/log';
import type { Db } from '@connector/platform/db/db';
import type { Handler, RecordSeen } from '@connector/runtime/model/application';
import { effectOf } from '@connector/runtime/model/authored-command';
import { readCommandRows } from '@connector/runtime/reads/lineage-rows';
import { readRecords } from '@connector/runtime/reads/records';
import { readResults } from '@connector/runtime/reads/results';
import { acceptCommand, type RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { runtimeCommand } from '@connector/testing/fixtures/execution';
import { authored } from '@connector/testing/fixtures/outbound';
import { CommandRun } from './command-run';
import { contactOpensTicket } from './handlers/contact-opens-ticket';
import { HANDLERS } from './handlers/registry';

let schema: TestSchema;
let demo: DemoEpoch;
let lines: string[];

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
  lines = [];
});
afterAll(() => schema.close());

const BY = GenerationId.mint();
const contact = (externalId: string, seq = 1): Json => ({ externalId, seq, email: null, name: 'Ada' });
const KEY = { collection: 'contact', key: '["larkspur/acme","rec-1"]' };

/** A command in the inbox, as the claimant hands it over. */
async function accepted(
  input: Json = contact('rec-1'),
  over: { readonly storage?: string; readonly businessKey?: string } = {},
): Promise<RuntimeCommand> {
  const ref = (await new EpochViews(schema.db).of(demo.source)).route('contact/upsert', '1')?.ref;
  if (ref === undefined) throw new Error('the demo has no such route');
  const { storage: packGenerationStorageId = ref.packGenerationStorageId, businessKey = ref.businessKey } = over;
  const command = runtimeCommand(demo.source, jcs(input), { ...ref, packGenerationStorageId, businessKey });
  expect(await acceptCommand(schema.db, command, BY)).toMatchObject({ kind: 'accepted', counted: true });
  return command;
}
function runner(handlers: readonly Handler[] = HANDLERS, db: Db = schema.db, by = BY) {
  const log = new Log({ service: 'test', generation: 'test', level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const run = new CommandRun({ db, by, views: new EpochViews(schema.db), handlers, log });
  return { run: (command: RuntimeCommand, counted = true) => run.run({ command, counted, unanswered: 0 }) };
}
const outcomeOf = async (command: RuntimeCommand) =>
  (await readResults(schema.db, [command])).map((result) => ('outcome' in result ? result.outcome : result.kind));
const reasonOf = async ({ commandId }: RuntimeCommand) => (await readCommandRows(schema.db, [commandId]))[0]?.reason;
const starts = async () => Number((await schema.sql('SELECT starts FROM run_command_start'))[0]?.['starts'] ?? 1);
/** Another process has it: it begins, and ends before it answers. */
async function dies(command: RuntimeCommand): Promise<void> {
  const dying = like({
    wants: () => {
      throw new RangeError('the process ends here');
    },
  });
  const by = GenerationId.mint();
  const log = new Log({ service: 'test', generation: 'test', level: 'error', destination: { write: () => undefined } });
  // Nothing of what it would write behind the handler comes: neither a result nor that it left.
  const db = schema.another(({ point }) => {
    if (point.startsWith('commit-application/') || point.startsWith('leave-command/')) throw new Error('dead');
    return Promise.resolve();
  });
  const run = new CommandRun({ db, by, views: new EpochViews(schema.db), handlers: [dying], log });
  await expect(run.run({ command, counted: false, unanswered: 1 })).rejects.toThrow('commit-application');
}
const outbound = async (): Promise<number> => Number((await schema.sql('SELECT COUNT(*) AS n FROM run_outbound_command'))[0]?.['n']);
const like = (over: Partial<Handler>): Handler => ({ ...contactOpensTicket, ...over });

describe('command run', () => {
  it('committed: con:RTC-W con:OAU-W the handler of the frozen route runs, and what it answered is one commit', async () => {
    const command = await accepted();
    expect(await runner().run(command)).toEqual({ kind: 'committed', outcome: 'applied', destinations: [DESTINATION] });
    expect(await outcomeOf(command)).toEqual(['applied']);
    expect(await readRecords(schema.db, [KEY])).toMatchObject([{ version: 1n, value: { seq: 1 } }]);
    expect(await outbound()).toBe(1);
  });

  it('committed: con:RTC-O con:CRASH-05 with a result that is there no handler is asked', async () => {
    const command = await accepted();
    await runner().run(command);
    const never = (): never => {
      throw new Error('asked');
    };
    expect(await runner([like({ wants: never })]).run(command)).toEqual({ kind: 'committed', outcome: 'applied', destinations: [] });
    expect(lines).toEqual([]);
  });

  it('committed: con:CRASH-07 two runs of one command at once author one command and answer one outcome', async () => {
    const command = await accepted();
    const ends = await Promise.all([runner().run(command), runner().run(command)]);
    expect(ends.map((end) => end.kind === 'committed' && end.outcome)).toEqual(['applied', 'applied']);
    expect(await outbound()).toBe(1);
  });

  it('committed: changes of one contact all at once, in any order, end in the greatest seq and in one ticket', async () => {
    const commands = await Promise.all([5, 3, 6, 1, 4, 2].map((seq) => accepted(contact('rec-1', seq))));
    const ends = await Promise.all(commands.map((command) => runner().run(command)));
    expect(ends.map(({ kind }) => kind)).toEqual(commands.map(() => 'committed'));
    expect(await readRecords(schema.db, [KEY])).toMatchObject([{ value: { seq: 6 } }]);
    expect(await outbound()).toBe(1);
  });

  it.each([SOURCE, DESTINATION])(
    'aborted: con:OPEN-43 while %s is halting nothing is recorded; served again, the same command is applied',
    async (account) => {
      const command = await accepted();
      await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2' WHERE account = ?", [Buffer.from(account)]);
      expect(await runner().run(command)).toEqual({ kind: 'aborted', why: 'not-serving' });
      expect([await outcomeOf(command), await outbound()]).toEqual([['absent'], 0]);
      await schema.sql("UPDATE con_serving_gate SET mode = 'v2_serving', fence = fence + 2");
      expect(await runner().run(command)).toMatchObject({ kind: 'committed', outcome: 'applied' });
    },
  );

  it('aborted: a fence that moved between the look and the commit, an epoch that drains, an account without a gate', async () => {
    const command = await accepted();
    const moving = schema.another(async ({ point }) => {
      if (point === 'commit-application/begin') await schema.sql('UPDATE con_serving_gate SET fence = fence + 1');
    });
    expect(await runner(HANDLERS, moving).run(command)).toEqual({ kind: 'aborted', why: 'fence-moved' });
    await schema.sql("UPDATE con_epoch SET state = 'draining'");
    expect(await runner().run(command)).toEqual({ kind: 'aborted', why: 'epoch-not-active' });
    await schema.sql('DELETE FROM con_serving_gate WHERE account = ?', [Buffer.from(DESTINATION)]);
    expect(await runner().run(command)).toEqual({ kind: 'aborted', why: 'no-gate' });
    expect(await outcomeOf(command)).toEqual(['absent']);
  });

  it('unresolved: con:INV-06 no such route, another pack generation, a release without the handler: no result, no other handler', async () => {
    const route = await accepted(contact('r'), { businessKey: 'contact/other' });
    expect(await runner().run(route)).toEqual({ kind: 'unresolved', code: 'route-absent' });
    const generation = await accepted(contact('g'), { storage: '018f3c2a-aaaa-7000-8000-00000000000a' });
    expect(await runner().run(generation)).toEqual({ kind: 'unresolved', code: 'generation-differs' });
    const command = await accepted();
    expect(await runner([like({ version: '2' }), like({ id: 'other' })]).run(command)).toEqual({
      kind: 'unresolved',
      code: 'handler-absent',
    });
    expect(await readResults(schema.db, [route, generation, command])).toEqual(Array.from({ length: 3 }, () => ({ kind: 'absent' })));
  });

  it('failed: con:ARES-01 a handler that throws has a terminal result, changes nothing, and is named in the log without its message', async () => {
    const command = await accepted();
    const throws = like({
      answer: () => {
        throw new RangeError('planted-canary');
      },
    });
    expect(await runner([throws]).run(command)).toEqual({ kind: 'committed', outcome: 'failed', destinations: [] });
    expect([await outcomeOf(command), await outbound()]).toEqual([['failed'], 0]);
    expect(await schema.sql('SELECT * FROM run_record')).toEqual([]);
    expect(await readCommandRows(schema.db, [command.commandId])).toMatchObject([
      { outcome: 'failed', reason: 'handler-threw', detail: 'RangeError' },
    ]);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ evt: 'command-failed', level: 'error', code: 'handler-threw', account: SOURCE, row: command.commandId }),
    ]);
    expect(lines.join()).not.toContain('planted-canary');
  });

  it('failed: con:ARES-01 a handler that says so by one of its reasons changes nothing, and the result keeps the reason', async () => {
    const command = await accepted({ externalId: 'rec-1', seq: 1, email: 'none', name: 'Ada' });
    expect(await runner().run(command)).toEqual({ kind: 'committed', outcome: 'failed', destinations: [] });
    expect(await readCommandRows(schema.db, [command.commandId])).toMatchObject([
      { outcome: 'failed', reason: 'address-unusable', detail: null },
    ]);
    expect([await outbound(), (await readRecords(schema.db, [KEY]))[0]?.value]).toEqual([0, null]);
  });

  it('failed: con:OPEN-18 what five processes began and none answered is not begun a sixth time, and its result says why (PUB-EXE-09)', async () => {
    const command = await accepted();
    for (let start = 2; start <= 5; start += 1) await dies(command);
    expect([await starts(), await outcomeOf(command)]).toEqual([5, ['absent']]);
    let asked = 0;
    const counting = like({ wants: () => ((asked += 1), []) });
    const sixth = runner([counting], schema.db, GenerationId.mint());
    expect(await sixth.run(command, false)).toEqual({ kind: 'committed', outcome: 'failed', destinations: [] });
    expect([asked, await outcomeOf(command), await reasonOf(command), await outbound()]).toEqual([0, ['failed'], 'never-answered', 0]);
    expect(lines.join()).toContain('started 5 times, and each time its process ended before it answered');
    expect(await runner().run(command, false)).toEqual({ kind: 'committed', outcome: 'failed', destinations: [] });
  });

  it('committed: con:RTC-O a result that a process commits late, when the next one has given the command up, is answered with what stands', async () => {
    const command = await accepted();
    const gaveUp = schema.another(async ({ point }) => {
      if (point !== 'commit-application/begin') return;
      await schema.sql('INSERT INTO run_command_start VALUES (?, 5, NULL)', [CommandId.bytes(command.commandId)]);
      await runner(HANDLERS, schema.db, GenerationId.mint()).run(command, false);
    });
    expect(await runner(HANDLERS, gaveUp).run(command)).toMatchObject({ kind: 'committed', outcome: 'failed' });
    expect([await outcomeOf(command), await outbound()]).toEqual([['failed'], 0]);
    expect(await schema.sql('SELECT * FROM run_record')).toEqual([]);
  });

  it('aborted: what a halt turns back is no start that ended a process, over however many restarts', async () => {
    const command = await accepted();
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2'");
    for (let restart = 0; restart < 7; restart += 1) {
      const answer = await runner(HANDLERS, schema.db, GenerationId.mint()).run(command, restart === 0 ? undefined : false);
      expect(answer.kind).toBe('aborted');
    }
    expect(await starts()).toBe(1);
    await schema.sql("UPDATE con_serving_gate SET mode = 'v2_serving'");
    expect(await runner(HANDLERS, schema.db, GenerationId.mint()).run(command, false)).toMatchObject({
      kind: 'committed',
      outcome: 'applied',
    });
  });

  it('warned: a start that cannot be taken back stays counted, and the end of the run is told as it was', async () => {
    const command = await accepted();
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2'");
    const failing = schema.another(({ point }) =>
      point.startsWith('leave-command/') ? Promise.reject(new Error('gone')) : Promise.resolve(),
    );
    expect((await runner(HANDLERS, failing).run(command)).kind).toBe('aborted');
    expect(lines.join()).toContain('start-not-left');
    expect(await starts()).toBe(1);
  });

  it('failed: con:OAU-X an intent whose tuple has another origin is not committed, nor is what came with it', async () => {
    const command = await accepted();
    const { scope } = await new EpochViews(schema.db).of(demo.source);
    const { effect } = effectOf({ ...command, scope, account: DESTINATION, intent: 'open-ticket', slot: 'ticket.create' });
    await authored(schema, demo.destination, 77, demo.credentialGenerationId, { outbound_command_id: effect.id });
    expect(await runner().run(command)).toEqual({ kind: 'committed', outcome: 'failed', destinations: [] });
    expect(lines.join()).toContain('command-conflict');
    expect((await readRecords(schema.db, [KEY]))[0]?.value).toBeNull();
  });

  it('committed: a record that moves between the reading and the commit has the handler run again on what is there', async () => {
    const command = await accepted(contact('rec-1', 9));
    const seen: (readonly RecordSeen[])[] = [];
    const watching = like({
      answer: (question, records) => {
        seen.push(records);
        return contactOpensTicket.answer(question, records);
      },
    });
    let moves = 1;
    const moving = schema.another(async ({ point }) => {
      if (point !== 'commit-application/begin' || moves === 0) return;
      moves -= 1;
      await schema.sql('INSERT INTO run_record VALUES (?, ?, 1, ?)', [KEY.collection, KEY.key, jcs({ seq: 4, email: null, name: 'A' })]);
    });
    expect(await runner([watching], moving).run(command)).toMatchObject({ kind: 'committed', outcome: 'applied', destinations: [] });
    expect(seen.map(([record]) => record?.version)).toEqual([null, 1n]);
    expect(await readRecords(schema.db, [KEY])).toMatchObject([{ version: 2n, value: { seq: 9 } }]);
  });

  it('retryable: records that move in ten runs end the try and record nothing', async () => {
    const command = await accepted();
    let runs = 0;
    const moving = schema.another(async ({ point }) => {
      if (point !== 'commit-application/begin') return;
      runs += 1;
      if (runs === 1) await schema.sql('INSERT INTO run_record VALUES (?, ?, 1, NULL)', [KEY.collection, KEY.key]);
      else await schema.sql('UPDATE run_record SET version = version + 1');
    });
    await expect(runner(HANDLERS, moving).run(command)).rejects.toBeInstanceOf(RetryableFault);
    expect([runs, await outcomeOf(command), await outbound()]).toEqual([10, ['absent'], 0]);
  });
});
