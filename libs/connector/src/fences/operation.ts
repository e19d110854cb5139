import type { OperationId } from '@connector/kernel/ids';
import { DefectFault, invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conOperation } from '@connector/schema/connector/serving';

const READ = readRows(conOperation, ['door', 'answer'], 'WHERE operation_id = :operation_id');

/**
 * What an earlier run with this id answered; undefined where none has committed. Ask under the locks and before any clause is judged:
 * the earlier run itself made the clauses false (con:OPEN-33).
 */
export async function recallOperation<A>(tx: FencedTx, operationId: OperationId): Promise<A | undefined> {
  const [row] = await tx.read(READ, { operation_id: operationId });
  if (row === undefined) return undefined;
  if (row.door !== tx.door.name) throw new DefectFault('HOUSE:connector:OperationReused', `${operationId} belongs to another door`);
  return JSON.parse(row.answer.toString('utf8'), textAsBigint) as A;
}

/**
 * The key of a write that has none of its own (decisions 13.9). Call it under the locks, before the moves: undefined means that this
 * run is the operation and `answer` stands; else an earlier run with the same id had committed, and its answer is returned.
 */
export async function claimOperation<A>(tx: FencedTx, operationId: OperationId, answer: A): Promise<A | undefined> {
  const inserted = await tx.insertNew(conOperation, {
    operation_id: operationId,
    door: tx.door.name,
    answer: Buffer.from(JSON.stringify(answer, bigintAsText)),
  });
  if (inserted === 'inserted') return undefined;
  const before = await recallOperation<A>(tx, operationId);
  invariant(before !== undefined, 'HOUSE:connector:OperationVanished', `${operationId} was there and is not`);
  return before;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { u64: value.toString() } : value;
}

function textAsBigint(_key: string, value: unknown): unknown {
  const text = typeof value === 'object' && value !== null && 'u64' in value ? value.u64 : undefined;
  return typeof text === 'string' ? BigInt(text) : value;
}
