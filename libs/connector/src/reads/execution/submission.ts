import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { CommandId, EpochId, ExecutionId } from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { conProjection } from '@connector/schema/connector/inbound';

/** One execution as Runtime is told of it: the whole ExecutionRef and the input that it names (con:RCMD-F). All of it immutable. */
export interface Submission {
  readonly commandId: CommandId;
  readonly account: AccountName;
  readonly executionRefDigest: Digest;
  readonly executionId: ExecutionId;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly packGenerationStorageId: string;
  readonly kind: string;
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly input: Buffer;
  readonly inputDigest: Digest;
}

const { command_id, account, execution_ref_digest, execution_id, epoch_id, epoch_digest } = conExecution.columns;
const { pack_generation_storage_id, kind, business_key, definition_version, input_digest } = conExecution.columns;
const COLUMNS = {
  ...{ command_id, account, execution_ref_digest, execution_id, epoch_id, epoch_digest },
  ...{ pack_generation_storage_id, kind, business_key, definition_version, input_digest },
  input: conProjection.columns.input,
};
const SUBMISSION = readQuery(
  conExecution,
  COLUMNS,
  `SELECT e.command_id, e.account, e.execution_ref_digest, e.execution_id, e.epoch_id, e.epoch_digest, e.pack_generation_storage_id,
       e.kind, e.business_key, e.definition_version, e.input_digest, p.input
  FROM ${conExecution.name} e JOIN ${conProjection.name} p ON p.projection_id = e.projection_id
 WHERE e.execution_id = :execution_id`,
  'submission',
);

export async function readSubmission(db: Db, executionId: ExecutionId): Promise<Submission | undefined> {
  const row = await db.readOne(SUBMISSION, { execution_id: executionId });
  if (row === undefined) return undefined;
  return {
    commandId: row.command_id,
    account: row.account,
    executionRefDigest: row.execution_ref_digest,
    executionId: row.execution_id,
    epochId: row.epoch_id,
    epochDigest: row.epoch_digest,
    packGenerationStorageId: row.pack_generation_storage_id,
    kind: row.kind,
    businessKey: row.business_key,
    definitionVersion: row.definition_version,
    input: row.input,
    inputDigest: row.input_digest,
  };
}
