/**
 * accept-command: a command in the Runtime's durable inbox
 *
 * why     Handed over is a row, not a promise in memory. It proves nothing about behaviour (con:INV-24). The row counts as the first start,
 *         so that a command which ends its process has been counted before it ran, and a command that does not costs nothing more.
 * paths   accept-command
 * fence   none: the command's id is made from its ExecutionRef, so other content has another id; an execution has one command.
 * again   Same command: `accepted` again.
 */
import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { ExecutionId, type CommandId, type EpochId, type GenerationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import { executionInputDigest, executionRefDigest, runtimeCommandDigest } from '@connector/connector/model/digests/execution';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { runCommand, runCommandStart } from '@connector/schema/runtime/runtime';
import { runtimeDoors } from '../model/paths';
import { startOfAcceptance, unansweredStarts, type Starts } from '../model/starts';

/** The complete ExecutionRef, once, with the input that it names (con:RCMD-F). */
export interface RuntimeCommand {
  readonly commandId: CommandId;
  readonly account: AccountName;
  readonly executionRefDigest: Digest;
  readonly executionId: ExecutionId;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly packGenerationStorageId: string;
  readonly kind: 'inbound-route';
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly input: Buffer;
  readonly inputDigest: Digest;
}

export type AcceptCommand =
  /**
   * `counted`: as its first start by this process. Where it was there before, `unanswered` starts of other processes were seen: it decides in
   * what company it may run, and nothing else, since nothing is locked here.
   */
  | { readonly kind: 'accepted'; readonly counted: boolean; readonly unanswered: number }
  /** Input, ExecutionRef and id do not follow from each other; a replay's do not either, while there is no replay (con:RTC-X). */
  | { readonly kind: 'digest-mismatch' }
  /** The id is taken under another account or epoch, or the execution has another command (con:UNIQ-15). */
  | { readonly kind: 'conflicting-command' };

const HELD = readRows(runCommand, ['account', 'execution_ref_digest', 'epoch_id', 'accepted_by'], 'WHERE command_id = :command_id');
const STARTS = readRows(runCommandStart, ['starts', 'started_by'], 'WHERE command_id = :command_id');

/** `by`: the process that runs it next. */
export async function acceptCommand(db: Db, command: RuntimeCommand, by: GenerationId): Promise<AcceptCommand> {
  if (!consistent(command)) return { kind: 'digest-mismatch' };
  return db.fenced(runtimeDoors['accept-command'], async (tx) => {
    const inserted = await tx.insertNew(runCommand, { ...commandRow(command), accepted_by: by });
    if (inserted === 'inserted') return { kind: 'accepted', counted: true, unanswered: 0 };
    const [held] = await tx.read(HELD, { command_id: command.commandId });
    const same =
      held?.execution_ref_digest === command.executionRefDigest && held.account === command.account && held.epoch_id === command.epochId;
    if (!same) return { kind: 'conflicting-command' };
    return { kind: 'accepted', counted: false, unanswered: unansweredStarts(await startsOf(tx, command.commandId, held.accepted_by), by) };
  });
}

async function startsOf(tx: FencedTx, commandId: CommandId, acceptedBy: GenerationId | null): Promise<Starts> {
  const [row] = await tx.read(STARTS, { command_id: commandId });
  return row === undefined ? startOfAcceptance(acceptedBy) : { starts: row.starts, startedBy: row.started_by };
}

/** Every digest and the id follow from the parts (con:IDN-09); a caller cannot give a command another meaning. */
function consistent(command: RuntimeCommand): boolean {
  const inputDigest = executionInputDigest(command.input).digest;
  const ref = executionRefDigest({
    executionId: ExecutionId.bytes(command.executionId),
    packGenerationStorageId: command.packGenerationStorageId,
    epochDigest: command.epochDigest,
    kind: command.kind,
    businessKey: command.businessKey,
    definitionVersion: command.definitionVersion,
    inputDigest,
    replayMode: null,
  }).digest;
  return inputDigest === command.inputDigest && ref === command.executionRefDigest && runtimeCommandDigest(ref).id === command.commandId;
}

function commandRow(command: RuntimeCommand) {
  return {
    command_id: command.commandId,
    account: command.account,
    execution_ref_digest: command.executionRefDigest,
    execution_id: command.executionId,
    epoch_id: command.epochId,
    epoch_digest: command.epochDigest,
    pack_generation_storage_id: command.packGenerationStorageId,
    kind: command.kind,
    business_key: command.businessKey,
    definition_version: command.definitionVersion,
    input: command.input,
    input_digest: command.inputDigest,
  };
}
