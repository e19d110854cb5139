import { CommandId } from '@connector/kernel/ids';
import type { ApplicationOutcome, RecordChange, RecordSeen, Why } from '@connector/runtime/model/application';
import type { AuthoredCommand } from '@connector/runtime/model/authored-command';
import { applicationResult, commitReceipt } from '@connector/runtime/model/documents';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import type { ResultDocuments } from '@connector/runtime/transitions/commit-application.tx';

/** What a run ends in. */
export interface Ending {
  readonly outcome: ApplicationOutcome;
  readonly why: Why | null;
  readonly records: readonly RecordSeen[];
  readonly changes: readonly RecordChange[];
  readonly commands: readonly AuthoredCommand[];
}

/** The result and the receipt that names it (con:ARES-F). No time and no chance: the same ending is the same bytes. */
export function resultDocuments(command: RuntimeCommand, { outcome, records, changes, commands }: Ending): ResultDocuments {
  const identity = {
    command_id: CommandId.bytes(command.commandId).toString('hex'),
    execution_ref_digest: command.executionRefDigest,
  };
  const result = applicationResult.build({
    ...identity,
    outcome,
    outbound_commands: commands.map(({ idempotencyKey }) => idempotencyKey),
    record_changes: changes.map(({ collection, key }) => ({ collection, key, version: versionAfter(records, collection, key) })),
  });
  const receipt = commitReceipt.build({
    ...identity,
    receipt_protocol: 'nexuscrm.runtime-commit-receipt/v1',
    result_digest: result.digest,
  });
  return {
    result: result.bytes,
    resultDigest: result.digest,
    commitReceipt: receipt.bytes,
    commitReceiptDigest: receipt.digest,
  };
}

/** The commit holds every record at the version that was seen, so the next one is known before it. */
function versionAfter(records: readonly RecordSeen[], collection: string, key: string): string {
  const seen = records.find((record) => record.collection === collection && record.key === key);
  return ((seen?.version ?? 0n) + 1n).toString();
}
