import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { CommandId, EpochId, ExecutionId, GenerationId } from '@connector/kernel/ids';
import { executionRefDigest, runtimeCommandDigest } from '@connector/connector/model/digests/execution';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { runtimeCommand } from '@connector/testing/fixtures/execution';
import { acceptCommand, type RuntimeCommand } from './accept-command.tx';
import { startCommand } from './start-command.tx';

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

const INPUT = Buffer.from('{"a":1}');
const [BY, OTHER] = [GenerationId.mint(), GenerationId.mint()] as [GenerationId, GenerationId];
const accept = (command: RuntimeCommand, by = BY) => acceptCommand(schema.db, command, by);
const commands = () => schema.sql('SELECT * FROM run_command');

/** The same execution as another ExecutionRef, with the digests and the id that follow from it. */
function refOf(command: RuntimeCommand, over: Partial<Parameters<typeof executionRefDigest>[0]>): RuntimeCommand {
  const { packGenerationStorageId, epochDigest, kind, businessKey, definitionVersion, inputDigest } = command;
  const parts = { packGenerationStorageId, epochDigest, kind, businessKey, definitionVersion, inputDigest, replayMode: null };
  const ref = executionRefDigest({ executionId: ExecutionId.bytes(command.executionId), ...parts, ...over }).digest;
  return { ...command, executionRefDigest: ref, commandId: runtimeCommandDigest(ref).id };
}

describe('accept-command', () => {
  it('accepted: con:RCMD-F con:RCMD-M the whole ExecutionRef with its input stands in one row', async () => {
    const command = runtimeCommand(served, INPUT);
    expect(await accept(command)).toEqual({ kind: 'accepted', counted: true, unanswered: 0 });
    const rows = await commands();
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      command_id: CommandId.bytes(command.commandId),
      account: Buffer.from('north/acme'),
      execution_ref_digest: Digest.bytes(command.executionRefDigest),
      execution_id: ExecutionId.bytes(command.executionId),
      epoch_id: EpochId.bytes(served.epochId),
      epoch_digest: Digest.bytes(served.epochDigest),
      business_key: Buffer.from('thing/changed'),
      definition_version: Buffer.from('1'),
      input: INPUT,
      accepted_by: GenerationId.bytes(BY),
    });
  });

  it('accepted: con:INV-24 acceptance proves nothing: there is no result and nothing is announced', async () => {
    await accept(runtimeCommand(served, INPUT));
    expect(await schema.sql('SELECT * FROM run_application_result')).toEqual([]);
    expect(await schema.sql('SELECT * FROM con_account_work WHERE produced > 0 OR due_at IS NOT NULL')).toEqual([]);
  });

  it('accepted: con:CRASH-04 the same command again, whatever became of the first COMMIT, is accepted again and is one row', async () => {
    const command = runtimeCommand(served, INPUT);
    expect(await accept(command)).toEqual({ kind: 'accepted', counted: true, unanswered: 0 });
    expect(await accept(command)).toEqual({ kind: 'accepted', counted: false, unanswered: 0 });
    expect(await commands()).toHaveLength(1);
  });

  it('accepted: to another process it says how many starts of it told no end, and counts none: whether it begins is not yet known', async () => {
    const command = runtimeCommand(served, INPUT);
    await accept(command);
    expect(await accept(command, OTHER)).toEqual({ kind: 'accepted', counted: false, unanswered: 1 });
    expect(await schema.sql('SELECT * FROM run_command_start')).toEqual([]);
    await startCommand(schema.db, command.commandId, OTHER);
    expect(await accept(command, OTHER)).toEqual({ kind: 'accepted', counted: false, unanswered: 1 });
    expect(await accept(command, BY)).toEqual({ kind: 'accepted', counted: false, unanswered: 2 });
  });

  it('accepted: race: the same command eight times at once is accepted by all and is one row', async () => {
    const command = runtimeCommand(served, INPUT);
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(command)));
    expect(answers.map(({ kind }) => kind)).toEqual(Array.from({ length: 8 }, () => 'accepted'));
    expect(await commands()).toHaveLength(1);
  });

  it.each<[string, (command: RuntimeCommand) => RuntimeCommand]>([
    ['input', (command) => ({ ...command, input: Buffer.from('{"a":2}') })],
    ['input digest', (command) => ({ ...command, inputDigest: Digest.sha256(INPUT) })],
    ['execution', (command) => ({ ...command, executionId: ExecutionId.mint() })],
    ['epoch digest', (command) => ({ ...command, epochDigest: Digest.sha256(Buffer.from('other')) })],
    ['pack generation', (command) => ({ ...command, packGenerationStorageId: 'other' })],
    ['business key', (command) => ({ ...command, businessKey: 'thing/other' })],
    ['definition version', (command) => ({ ...command, definitionVersion: '2' })],
    ['ExecutionRef digest', (command) => ({ ...command, executionRefDigest: Digest.sha256(Buffer.from('other')) })],
    ['command id', (command) => ({ ...command, commandId: CommandId.mint() })],
  ])('digest-mismatch: con:IDN-09 con:RTC-P another %s alone does not follow from the rest, and nothing is written', async (_, change) => {
    expect(await accept(change(runtimeCommand(served, INPUT)))).toEqual({ kind: 'digest-mismatch' });
    expect(await commands()).toEqual([]);
  });

  it('digest-mismatch: con:RTC-X con:OAU-P the command of a replay is not accepted, so nothing can be authored in one', async () => {
    const replay = refOf(runtimeCommand(served, INPUT), { replayMode: 'historical' });
    expect(await accept(replay)).toEqual({ kind: 'digest-mismatch' });
    expect(await commands()).toEqual([]);
  });

  it.each<[string, (command: RuntimeCommand) => RuntimeCommand]>([
    ['account', (command) => ({ ...command, account: 'south/acme' as AccountName })],
    ['epoch id', (command) => ({ ...command, epochId: EpochId.mint() })],
  ])('conflicting-command: the same id under another %s is refused, and the row stays as it was', async (_, change) => {
    const command = runtimeCommand(served, INPUT);
    await accept(command);
    const before = await commands();
    expect(await accept(change(command))).toEqual({ kind: 'conflicting-command' });
    expect(await commands()).toEqual(before);
  });

  it('conflicting-command: con:UNIQ-15 an execution has one command, and so one result, even under another ExecutionRef', async () => {
    const command = runtimeCommand(served, INPUT);
    await accept(command);
    const other = refOf({ ...command, businessKey: 'thing/other' }, {});
    expect(other.commandId).not.toBe(command.commandId);
    expect(await accept(other)).toEqual({ kind: 'conflicting-command' });
    expect(await commands()).toHaveLength(1);
  });
});
