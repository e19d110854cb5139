/**
 * start-command: a command that was there before is begun again, by this process
 *
 * why     A handler can end its process, and then nobody is left to count: so the count stands before the handler runs. Only starts whose end
 *         nobody told are counted, so that what a halt or a fault turned back is never taken for an input that ends processes.
 * paths   start-command
 * fence   the command row; the row of its starts, locked and compared.
 * again   Same process: `started`, counted once. It lives, so its own start is none that ended it.
 */
import type { CommandId, GenerationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { runtimeDoors } from '../model/paths';
import { STARTS_MAX, unansweredStarts } from '../model/starts';
import { holdStarts, moveStarts } from './hold-starts';

export type StartCommand =
  /** `unanswered`: starts by other processes that told no end. */
  | { readonly kind: 'started'; readonly unanswered: number }
  /** As many as there may be: it is not run again, and nothing is counted. */
  | { readonly kind: 'exhausted'; readonly unanswered: number }
  | { readonly kind: 'not-found' };

export function startCommand(db: Db, commandId: CommandId, by: GenerationId): Promise<StartCommand> {
  return db.fenced(runtimeDoors['start-command'], async (tx) => {
    const held = await holdStarts(tx, commandId);
    if (held === undefined) return { kind: 'not-found' };
    const unanswered = unansweredStarts(held, by);
    if (unanswered >= STARTS_MAX) return { kind: 'exhausted', unanswered };
    if (held.startedBy !== by) await moveStarts(tx, held, { starts: held.starts + 1, startedBy: by });
    return { kind: 'started', unanswered };
  });
}
