import { invariant } from '@connector/kernel/faults';
import type { CommandId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { runCommand, runCommandStart } from '@connector/schema/runtime/runtime';
import { startOfAcceptance, type Starts } from '../model/starts';

const COMMAND = lockRows(runCommand, ['accepted_by'], 'WHERE command_id = :command_id');
const STARTS = lockRows(runCommandStart, ['starts', 'started_by'], 'WHERE command_id = :command_id');
const MOVE = updateRows(
  runCommandStart,
  'SET starts = :starts.next, started_by = :started_by WHERE command_id = :command_id AND starts = :starts',
);

export interface HeldStarts extends Starts {
  readonly commandId: CommandId;
  /** Nothing was written since its acceptance. */
  readonly absent: boolean;
}

/** The starts of a command, held; undefined where it was never accepted. The command is locked first, since an absent row of starts locks nothing. */
export async function holdStarts(tx: FencedTx, commandId: CommandId): Promise<HeldStarts | undefined> {
  const command = await tx.lock(COMMAND, { command_id: commandId });
  if (command === undefined) return undefined;
  const row = await tx.lock(STARTS, { command_id: commandId });
  const starts = row === undefined ? startOfAcceptance(command.accepted_by) : { starts: row.starts, startedBy: row.started_by };
  return { commandId, absent: row === undefined, ...starts };
}

export async function moveStarts(tx: FencedTx, held: HeldStarts, next: Starts): Promise<void> {
  const to = { command_id: held.commandId, started_by: next.startedBy };
  if (held.absent) return tx.insert(runCommandStart, [{ ...to, starts: next.starts }]);
  const landed = await tx.cas(MOVE, { ...to, starts: held.starts, 'starts.next': next.starts });
  invariant(landed, 'HOUSE:runtime:StartsNotHeld', `the starts of ${held.commandId} moved while they were held`);
}
