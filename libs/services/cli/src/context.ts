import { type Command, Option } from 'commander';
import { openApi, ROLES, type Api, type CliRole } from './api';
import { EXIT, type ExitCode } from './exit';
import type { CliIo } from './io';
import { requireInstallation, type Installation } from './installation';

export interface CommonOptions {
  readonly json: boolean;
  readonly color: boolean;
}

/** What one command run has: where to print, how to ask the operator, and the exit code that it leaves. */
export class Context {
  exit: ExitCode = EXIT.done;
  #installation: Installation | undefined;
  #api: Api | undefined;
  /** Whose token speaks to the operator. */
  #role: CliRole = 'operator';

  constructor(
    readonly io: CliIo,
    /** Whoever asked for documents gets one for a wrong command line too. */
    readonly wantsDocument = false,
  ) {}

  async installation(): Promise<Installation> {
    return (this.#installation ??= await requireInstallation(this.io));
  }

  async api(): Promise<Api> {
    return (this.#api ??= await openApi(await this.installation(), this.#role));
  }

  speakAs(command: Command): void {
    const given: Readonly<Record<string, unknown>> = command.opts();
    this.#role = ROLES.find((role) => role === given['as']) ?? 'operator';
  }

  /** The document with `--json`, else its lines. */
  print(options: CommonOptions, document: unknown, lines: () => readonly string[]): void {
    if (options.json) this.io.out(JSON.stringify(document, null, 2));
    else lines().forEach((line) => this.io.out(line));
  }
}

/** The flags that every command has. */
export function commonOf(command: Command, io: CliIo): CommonOptions {
  const given: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  return { json: given['json'] === true, color: io.color && given['color'] !== false };
}

export function withCommon(command: Command): Command {
  return command
    .option('--json', 'print the document, for scripts')
    .option('--no-color', 'words without colour')
    .addOption(new Option('--as <role>', 'whose token speaks; whoever may less is refused more').choices(ROLES).default('operator'));
}
