import { EffectId, OutboundCommandId, type ReceiptId } from '@connector/kernel/ids';
import { LEVEL_MAX } from '@connector/connector/reads/lineage/limits';
import {
  readEventRows,
  readExecutionRows,
  readReceiptRows,
  type EventRows,
  type ExecutionRows,
  type ReceiptRows,
} from '@connector/connector/reads/lineage/inbound-rows';
import { readEffectRows, type EffectRows } from '@connector/connector/reads/lineage/outbound-rows';
import type { Db } from '@connector/platform/db/db';
import { readAuthoredRows, readCommandRows, type AuthoredRow, type CommandRow } from '@connector/runtime/reads/lineage-rows';

/** Every row below one receipt, level by level: a constant number of statements, whatever the receipt holds. */
export interface LineageRows extends ReceiptRows, EventRows, ExecutionRows, EffectRows {
  readonly commands: readonly CommandRow[];
  readonly authored: readonly AuthoredRow[];
}

export async function readLineage(db: Db, receiptId: ReceiptId): Promise<LineageRows | undefined> {
  const top = await readReceiptRows(db, receiptId);
  if (top === undefined) return undefined;
  const events = await readEventRows(db, firstOf(top.components.map((row) => row.event_id)));
  const executions = await readExecutionRows(db, firstOf(events.projections.map((row) => row.projection_id)));
  const commands = await readCommandRows(db, firstOf(executions.executions.map((row) => row.command_id)));
  const authored = await readAuthoredRows(db, firstOf(executions.executions.map((row) => row.execution_id)));
  const effects = await readEffectRows(db, firstOf(authored.map((row) => effectOf(row.outbound_command_id))));
  return { ...top, ...events, ...executions, ...effects, commands, authored };
}

const firstOf = <T>(ids: readonly T[]): readonly T[] => [...new Set(ids)].slice(0, LEVEL_MAX);

/** An effect has the 16 bytes of its command (con:REFF-K). */
export const effectOf = (id: OutboundCommandId): EffectId => EffectId.of(OutboundCommandId.bytes(id));
