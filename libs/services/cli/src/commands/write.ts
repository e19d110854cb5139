import { type Command, Option } from 'commander';
import { OperationId } from '@connector/kernel/ids';
import { argument } from '@connector/kernel/faults';
import { commonOf, type Context, withCommon } from '../context';
import type { Members } from '../members';

/** A verb that nobody has to look at first: it adds, and what it added says itself what it is. */
export interface Write {
  readonly path: string;
  readonly body: Members;
  /** What changed and the next command. */
  done(answer: Members): readonly string[];
}

export function withWriteOptions(command: Command): Command {
  return withCommon(command).option('--idempotency-key <key>', 'the key of a try whose answer was lost');
}

/** Done once under a key that is minted here, however often it has to be sent. */
export async function write(command: Command, context: Context, { path, body, done }: Write): Promise<void> {
  const asking = askingOf(command, context);
  const answer = await (await context.api()).confirm(path, { ...body, ...asking });
  context.print(commonOf(command, context.io), answer, () => done(answer));
}

/** The key of the write, given or minted here, and who asks. */
export function askingOf(command: Command, { io }: Context): Members {
  const given: Readonly<Record<string, unknown>> = command.opts();
  const key = given['idempotencyKey'];
  return { operation_id: typeof key === 'string' ? argument('--idempotency-key', OperationId, key) : OperationId.mint(), by: io.user };
}

/** Lists that go on after the last id that was seen. */
export const withPage = (command: Command): Command =>
  withCommon(command).option('--after <id>', 'behind this one').addOption(new Option('--limit <n>', 'at most 200').default('50'));

export function pageQuery(given: Readonly<Record<string, unknown>>, ...more: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of ['after', 'limit', ...more]) if (typeof given[name] === 'string') query.set(name, given[name]);
  return query.toString();
}

/** The same question, further on. */
export function further(command: string, given: Readonly<Record<string, unknown>>, next: unknown): readonly string[] {
  return typeof next === 'string' ? ['', `more: ${command} --limit ${String(given['limit'])} --after ${next}`] : [];
}
