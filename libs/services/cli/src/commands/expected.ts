import { CliFailure, EXIT } from '../exit';
import { type Members, membersOf } from '../members';

/** What a plan expects: a confirmation says it again, so that the plan is made again from it and found to have the digest. */
export const expectedOf = (planned: Members): Members => membersOf(membersOf(planned['plan'])['expected']);

/** Before a confirmation is sent: `seen` are the values of these flags, all of which it needs. */
export function requireSeen(seen: Members, flags: readonly string[]): void {
  if (Object.values(seen).every((value) => typeof value === 'string')) return;
  throw new CliFailure(EXIT.usage, [
    `--confirm needs ${flags.join(', ')} as the plan says ${flags.length === 1 ? 'it: it is' : 'them: they are'} part of it.`,
    '  Do       the same with --plan, which prints the whole command',
  ]);
}
