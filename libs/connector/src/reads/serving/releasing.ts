import { answerOf } from '@connector/kernel/answer-text';
import type { OperationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conOperation } from '@connector/schema/connector/serving';
import type { OwnedBarrier } from '../../model/serving/barriers';

const TAKEN = readRows(conOperation, ['answer'], 'WHERE operation_id = :operation_id AND door = :door');

/** The barriers that this operation took its holder fence to release; undefined where it took none, or took it for a run. */
export async function readReleasing(db: Db, operationId: OperationId): Promise<readonly OwnedBarrier[] | undefined> {
  const taken = await db.readOne(TAKEN, { operation_id: operationId, door: 'take-holder-fence' });
  return taken && answerOf<{ readonly releasing?: readonly OwnedBarrier[] }>(taken.answer).releasing;
}
