import { machine } from '@connector/kernel/machine';
import { CommandId } from '@connector/kernel/ids';
import { APPLICATION_OUTCOMES, type ApplicationOutcome } from '@connector/runtime/model/application';
import { commitApplication } from '@connector/runtime/transitions/commit-application.tx';
import type { TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand, commitOf } from '@connector/testing/fixtures/application';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, untried, type Trial, type Try } from './trial';

/** Four terminal values and no move at all. */
const resultMachine = machine({ name: 'ApplicationResult', states: APPLICATION_OUTCOMES, initial: 'applied', moves: {} });
const subject: Subject = { machine: resultMachine, table: 'run_application_result', column: 'outcome' };
let trial: Trial;

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  let accounts = 0;
  return APPLICATION_OUTCOMES.map((outcome: ApplicationOutcome) => ({
    door: 'commit-application',
    arrange: async () => {
      accounts += 1;
      const [served] = (await serveAccounts(schema, [`n${accounts}/acme`])) as [ServedAccount];
      const command = await acceptedCommand(schema, served);
      const commit = commitOf(served, command, { outcome });
      await commitApplication(tap.db, commit);
      return { key: { command_id: CommandId.bytes(command.commandId) }, open: () => commitApplication(tap.db, commit) };
    },
  }));
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`ApplicationResult: ${countOf(trial)}`);
});

describe('ApplicationResult, 4 outcomes, 16 pairs', () => {
  it('tried: every door that writes a result; there is no statement that changes one; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
    expect(trial.said.updates).toEqual([]);
  });

  it('untouched: con:SM-ALL-01 con:SM-ALL-04 con:ARES-01 whatever a second run would have answered', () => {
    expect(moved(trial.opened)).toEqual([]);
    expect(disturbed(trial, APPLICATION_OUTCOMES)).toEqual([]);
  });

  it('born: con:SM-ALL-03 in each of the four, once', () => {
    expect([...trial.born].sort()).toEqual([...APPLICATION_OUTCOMES].sort());
  });
});
