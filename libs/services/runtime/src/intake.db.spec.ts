import { GenerationId } from '@connector/kernel/ids';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import { startCommand } from '@connector/runtime/transitions/start-command.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand } from '@connector/testing/fixtures/application';
import { runtimeCommand } from '@connector/testing/fixtures/execution';
import { Intake } from './intake';
import { RunQueue, type Handed } from './run-queue';

let schema: TestSchema;
let served: ServedAccount;
let ran: Handed[];
let intake: Intake;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  ran = [];
  intake = restarted();
});
afterAll(() => schema.close());

/** The intake of another process. */
function restarted(): Intake {
  return new Intake(schema.db, new RunQueue((handed) => Promise.resolve(void ran.push(handed))), GenerationId.mint());
}
/** A command that so many processes began and left without a word. */
async function abandoned(starts: number): Promise<RuntimeCommand> {
  const command = await acceptedCommand(schema, served);
  for (let start = 1; start < starts; start += 1) await startCommand(schema.db, command.commandId, GenerationId.mint());
  return command;
}

describe('intake', () => {
  it('accepted: a new command is run at once, and its acceptance counts as its start', async () => {
    const command = runtimeCommand(served, Buffer.from('"new"'));
    expect((await intake.submit(command)).kind).toBe('accepted');
    expect(ran).toEqual([{ command, counted: true, unanswered: 0 }]);
  });

  it('accepted: what was in hand when a process ended is run at once, alone', async () => {
    const command = await abandoned(1);
    await intake.submit(command);
    expect(ran).toMatchObject([{ command, counted: false, unanswered: 1 }]);
  });

  it('accepted: what ended a process alone is run by each process when it comes the second time, a lease later (PUB-EXE-09)', async () => {
    const command = await abandoned(2);
    for (let process = 1; process <= 2; process += 1) {
      intake = restarted();
      expect((await intake.submit(command)).kind).toBe('accepted');
      expect(ran).toHaveLength(process - 1);
      await intake.submit(command);
      expect(ran).toHaveLength(process);
    }
  });
});
