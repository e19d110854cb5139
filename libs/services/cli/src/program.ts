import { Command, CommanderError } from 'commander';
import { InputFault, RetryableFault } from '@connector/kernel/faults';
import { SecretAbsent } from '@connector/platform/secrets/secret-backend';
import { redact } from '@connector/platform/telemetry/redact';
import { addAccounts } from './commands/accounts';
import { addApps } from './commands/apps';
import { addAudit } from './commands/audit';
import { addBarriers } from './commands/barriers';
import { addBindings } from './commands/bindings';
import { addCredentialActs } from './commands/credentials';
import { addDev } from './commands/dev';
import { addHelp } from './commands/help';
import { addInstalls } from './commands/installs';
import { addMembership } from './commands/membership';
import { addPacks } from './commands/packs';
import { addPermitActs } from './commands/permits';
import { addPublishers } from './commands/publishers';
import { addReads, addRowNouns } from './commands/reads';
import { addReleases } from './commands/releases';
import { addSend } from './commands/send';
import { Context } from './context';
import { CliFailure, codeOf, EXIT } from './exit';
import type { CliIo } from './io';

const EXAMPLES = `
Examples
  connector status                                        what serves, what waits
  connector send larkspur-crm one-contact                 a fixture through the real ingress
  connector lineage rcp_q7m2x4                            what became of it, row by row
  connector explain eff_k40bq1                            why it waits, whose move it is
  connector accounts halt larkspur/acme --plan            what a halt would do; --confirm does it

More  connector help exit-codes · connector help reasons · connector help <command>`;

/** Runs one command line; the exit code. Everything is printed through `io`, and nothing ends the process. */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  const context = new Context(io, args.includes('--json'));
  try {
    await programOf(context).parseAsync([...args], { from: 'user' });
    return context.exit;
  } catch (thrown) {
    return failed(thrown, context);
  }
}

/** The whole tree of commands; nothing runs by building it. */
export function programOf(context: Context): Command {
  const { io } = context;
  const program = new Command('connector')
    .description('See what an integration does, ask why it waits, stop an account.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => (context.wantsDocument ? undefined : io.err(redact(text.trimEnd()))),
    })
    .showSuggestionAfterError(true)
    .addHelpText('after', EXAMPLES)
    .hook('preAction', (_, command) => context.speakAs(command));
  addReads(program, context);
  const nouns = addRowNouns(program, context);
  const permits = nouns.get('permits');
  if (permits !== undefined) addPermitActs(permits, context);
  const credentials = nouns.get('credentials');
  if (credentials !== undefined) addCredentialActs(credentials, context);
  addAccounts(program, context);
  addBarriers(program, context);
  addPublishers(program, context);
  addApps(program, context);
  addReleases(program, context);
  addInstalls(program, context);
  addBindings(program, context);
  addMembership(program, context);
  addPacks(program, context);
  addAudit(program, context);
  addSend(program, context);
  addDev(program, context);
  addHelp(program, context);
  return program;
}

function failed(thrown: unknown, { io, wantsDocument }: Context): number {
  if (thrown instanceof CommanderError && (thrown.exitCode === 0 || !wantsDocument)) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  const failure = failureIn(thrown);
  if (failure === undefined) {
    io.err(redact(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)));
    return EXIT.failed;
  }
  // What was typed may be repeated in them, and what was typed may have been a key.
  if (wantsDocument)
    io.err(JSON.stringify(documentOf(failure), (_, value: unknown) => (typeof value === 'string' ? redact(value) : value)));
  else failure.lines.forEach((line) => io.err(redact(line)));
  return failure.exit;
}

const DO = /^ {2}Do {7}/;
function documentOf({ exit, message, lines, document }: CliFailure): object {
  const next_steps = lines.filter((line) => DO.test(line)).map((line) => line.replace(DO, ''));
  return { exit, code: codeOf(exit), message, next_steps, ...document };
}

/** What a thrown value means to whoever typed; undefined where nobody planned it. */
function failureIn(thrown: unknown): CliFailure | undefined {
  if (thrown instanceof CliFailure) return thrown;
  if (thrown instanceof CommanderError) return new CliFailure(EXIT.usage, [thrown.message, '  Do       connector help']);
  if (thrown instanceof SecretAbsent) {
    return new CliFailure(EXIT.notAllowed, [
      'This machine has no token of the command line.',
      '  Do       npm start makes one, for this user alone',
    ]);
  }
  if (thrown instanceof InputFault) return new CliFailure(EXIT.usage, [`${thrown.message}   ${thrown.code}`], { code: thrown.code });
  if (thrown instanceof RetryableFault) {
    return new CliFailure(EXIT.unavailable, [
      'No answer came in time.',
      '  Do       the same command again',
      '  See      connector dev ps',
    ]);
  }
  return undefined;
}
