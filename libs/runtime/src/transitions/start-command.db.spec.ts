import { CommandId, GenerationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand } from '@connector/testing/fixtures/application';
import { STARTS_MAX } from '../model/starts';
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
const starts = async () =>
  (await schema.sql('SELECT starts, started_by FROM run_command_start')).map((row) => [
    Number(row['starts']),
    row['started_by'] === null ? null : GenerationId.of(row['started_by'] as Buffer),
  ]);

describe('start-command', () => {
  it('started: by the process that accepted it, which counted it then: nothing is written', async () => {
    expect(await start(first)).toEqual({ kind: 'started', unanswered: 0 });
    expect(await starts()).toEqual([]);
  });

  it('started: by each further process, behind those that told no end (PUB-EXE-09)', async () => {
    const [second, third] = [GenerationId.mint(), GenerationId.mint()];
    expect(await start(second)).toEqual({ kind: 'started', unanswered: 1 });
    expect(await starts()).toEqual([[2, second]]);
    expect(await start(third)).toEqual({ kind: 'started', unanswered: 2 });
    expect(await starts()).toEqual([[3, third]]);
  });

  it('started: counted once for a process that lives, however often it begins', async () => {
    const second = GenerationId.mint();
    expect([await start(second), await start(second)]).toEqual(Array.from({ length: 2 }, () => ({ kind: 'started', unanswered: 1 })));
    expect(await starts()).toEqual([[2, second]]);
  });

  it('started: a command of before starts were counted counts as begun once', async () => {
    await schema.sql('UPDATE run_command SET accepted_by = NULL');
    expect(await start()).toEqual({ kind: 'started', unanswered: 1 });
  });

  it('exhausted: after five starts that told no end it is not begun again, and nothing more is counted (PUB-EXE-09)', async () => {
    for (let count = 1; count < STARTS_MAX; count += 1) expect(await start()).toEqual({ kind: 'started', unanswered: count });
    const before = await starts();
    expect(await start()).toEqual({ kind: 'exhausted', unanswered: 5 });
    expect(await starts()).toEqual(before);
  });

  it('not-found: a command that was never accepted', async () => {
    expect(await startCommand(schema.db, CommandId.mint(), first)).toEqual({ kind: 'not-found' });
    expect(await starts()).toEqual([]);
  });

  it('started: race: of eight processes at once that follow three, two begin and six are told that it is enough', async () => {
    await start();
    await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => start()));
    expect(answers.map(({ kind }) => kind).sort()).toEqual([...Array<string>(6).fill('exhausted'), 'started', 'started']);
    expect((await starts())[0]?.[0]).toBe(STARTS_MAX);
  });
});
