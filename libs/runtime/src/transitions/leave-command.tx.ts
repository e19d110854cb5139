/**
 * leave-command: a run ended here without a result, and its process lives
 *
 * why     A halted gate, a moved fence or a fault of the database says nothing about the input. Left counted, an account that is halted over some
 *         restarts would have its commands refused for ends that nobody died of.
 * paths   leave-command
 * fence   the command row; the row of its starts, locked and compared; only the start that this process has open.
 * again   Same process: `left`, taken back once.
 */
import type { CommandId, GenerationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { runtimeDoors } from '../model/paths';
import { holdStarts, moveStarts } from './hold-starts';

export type LeaveCommand =
  /** This process has no start of it open. */
  { readonly kind: 'left' } | { readonly kind: 'not-found' };

export function leaveCommand(db: Db, commandId: CommandId, by: GenerationId): Promise<LeaveCommand> {
  return db.fenced(runtimeDoors['leave-command'], async (tx) => {
    const held = await holdStarts(tx, commandId);
    if (held === undefined) return { kind: 'not-found' };
    if (held.startedBy === by) await moveStarts(tx, held, { starts: held.starts - 1, startedBy: null });
    return { kind: 'left' };
  });
}
