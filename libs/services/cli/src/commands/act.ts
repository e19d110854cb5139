import type { Command } from 'commander';
import { OperationId } from '@connector/kernel/ids';
import { argument } from '@connector/kernel/faults';
import type { Api } from '../api';
import { type CommonOptions, commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import type { Members } from '../members';
import { textOf } from '../members';
import { renderPlan } from '../render/plan';

export interface Confirmation {
  readonly digest: string;
  /** Minted once and kept over every retry of this command. */
  readonly operationId: OperationId;
  readonly by: string;
  readonly reason: string;
}

/** A verb that stops or starts real work (rung 2 of experience 3.0.4). */
export interface Act {
  readonly subject: string;
  readonly needsReason: boolean;
  plan(api: Api): Promise<Members>;
  confirm(api: Api, confirmation: Confirmation): Promise<Members>;
  /** What changed and the next command. */
  done(answer: Members): readonly string[];
}

export function withActOptions(command: Command): Command {
  return withCommon(command)
    .option('--plan', 'print steps, effects, the way back and the digest; change nothing')
    .option('--confirm <digest>', 'carry out exactly that plan, or nothing')
    .option('--idempotency-key <key>', 'the key of a try whose answer was lost')
    .option('--no-input', 'never ask');
}

interface ActOptions {
  readonly plan: boolean;
  readonly confirm: string | undefined;
  readonly key: string | undefined;
  readonly reason: string;
  readonly input: boolean;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

export async function act(command: Command, context: Context, verb: Act): Promise<void> {
  const options = commonOf(command, context.io);
  const given = optionsOf(command);
  if (given.plan && given.confirm !== undefined) throw usage('--plan and --confirm exclude each other: the one looks, the other acts.');
  if (given.confirm !== undefined && !DIGEST.test(given.confirm))
    throw usage('--confirm is a digest as --plan prints it: sha256: and 64 hex digits.');
  const api = await context.api();
  if (given.confirm !== undefined) return confirm(context, options, verb, api, given, given.confirm);
  const planned = await verb.plan(api);
  if (given.plan) return context.print(options, planned, () => renderPlan(planned));
  if (!context.io.interactive || !given.input) {
    throw usage('Nobody can be asked here: say --plan to look, and --confirm <digest> to act.', `  Plan     ${textOf(planned['digest'])}`);
  }
  renderPlan(planned).forEach((line) => context.io.err(line));
  await askFor(context, verb);
  return confirm(context, options, verb, api, given, textOf(planned['digest']));
}

/** Typing the name is the second look. */
async function askFor({ io }: Context, { subject }: Act): Promise<void> {
  const typed = await io.ask(`Type ${subject} to do this: `);
  if (typed.trim() !== subject)
    throw new CliFailure(EXIT.refused, [`Not done: ${JSON.stringify(typed.trim())} was typed, expected ${subject}.`]);
}

async function confirm(context: Context, options: CommonOptions, verb: Act, api: Api, given: ActOptions, digest: string): Promise<void> {
  if (verb.needsReason && given.reason.trim() === '')
    throw usage('--reason is required: it stands in the row, for whoever reads it at night.');
  const operationId = given.key === undefined ? OperationId.mint() : argument('--idempotency-key', OperationId, given.key);
  const answer = await verb.confirm(api, { digest, operationId, by: context.io.user, reason: given.reason });
  context.print(options, answer, () => verb.done(answer));
}

function optionsOf(command: Command): ActOptions {
  const given: Readonly<Record<string, unknown>> = command.opts();
  const text = (name: string): string | undefined => (typeof given[name] === 'string' ? given[name] : undefined);
  return {
    plan: given['plan'] === true,
    confirm: text('confirm'),
    key: text('idempotencyKey'),
    reason: text('reason') ?? '',
    input: given['input'] !== false,
  };
}

function usage(...lines: string[]): CliFailure {
  return new CliFailure(EXIT.usage, lines);
}
