import { CommandId, GenerationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand } from '@connector/testing/fixtures/application';
import { leaveCommand } from './leave-command.tx';
import { startCommand } from './start-command.tx';

let schema: TestSchema;
let served: ServedAccount;
let first: GenerationId;
let commandId: CommandId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  first = GenerationId.mint();
  ({ commandId } = await acceptedCommand(schema, served, 'input', first));
});
afterAll(() => schema.close());

const start = (by = GenerationId.mint()) => startCommand(schema.db, commandId, by);
const leave = (by: GenerationId) => leaveCommand(schema.db, commandId, by);
const starts = async () =>
  (await schema.sql('SELECT starts, started_by FROM run_command_start')).map((row) => [
    Number(row['starts']),
    row['started_by'] === null ? null : GenerationId.of(row['started_by'] as Buffer),
  ]);

describe('leave-command', () => {
  it('left: the start of the acceptance, so that the next process is the first again', async () => {
    expect(await leave(first)).toEqual({ kind: 'left' });
    expect(await starts()).toEqual([[0, null]]);
    expect(await start()).toEqual({ kind: 'started', unanswered: 0 });
  });

  it('left: a run that ended is no start any more; what others left without a word stays counted', async () => {
    await start();
    const third = GenerationId.mint();
    await start(third);
    expect(await leave(third)).toEqual({ kind: 'left' });
    expect(await starts()).toEqual([[2, null]]);
    expect(await start(third)).toEqual({ kind: 'started', unanswered: 2 });
  });

  it('left: once, however often it is asked for; and nothing of another process', async () => {
    const second = GenerationId.mint();
    await start(second);
    expect([await leave(second), await leave(second), await leave(first)]).toEqual(Array.from({ length: 3 }, () => ({ kind: 'left' })));
    expect(await starts()).toEqual([[1, null]]);
  });

  it('not-found: a command that was never accepted', async () => {
    expect(await leaveCommand(schema.db, CommandId.mint(), first)).toEqual({ kind: 'not-found' });
  });
});
