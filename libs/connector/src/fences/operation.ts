import { answerOf, answerText } from '@connector/kernel/answer-text';
import type { OperationId } from '@connector/kernel/ids';
import { Digest } from '@connector/kernel/digest';
import { InputFault, invariant } from '@connector/kernel/faults';
import { jcs } from '@connector/kernel/jcs';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conOperation } from '@connector/schema/connector/serving';

const READ = readRows(conOperation, ['door', 'answer'], 'WHERE operation_id = :operation_id');

/** Wrong for ever: whoever asks has to make an id of its own for this act. */
function operationReused(how: string): InputFault {
  return new InputFault('HOUSE:connector:OperationReused', `${how}; an operation id stands for one act, another act needs another id`);
}

/**
 * What an earlier run with this id answered; undefined where none has committed. Ask under the locks and before any clause is judged:
 * the earlier run itself made the clauses false (con:OPEN-33). InputFault `HOUSE:connector:OperationReused` where it was another door's.
 */
export async function recallOperation<A>(tx: FencedTx, operationId: OperationId): Promise<A | undefined> {
  const [row] = await tx.read(READ, { operation_id: operationId });
  if (row === undefined) return undefined;
  if (row.door !== tx.door.name) throw operationReused(`${operationId} was used for ${row.door}`);
  return answerOf<A>(row.answer);
}

/**
 * The key of a write that has none of its own (decisions 13.9). Call it under the locks, before the moves: undefined means that this
 * run is the operation and `answer` stands; else an earlier run with the same id had committed, and its answer is returned.
 */
export async function claimOperation<A>(tx: FencedTx, operationId: OperationId, answer: A): Promise<A | undefined> {
  const inserted = await tx.insertNew(conOperation, {
    operation_id: operationId,
    door: tx.door.name,
    answer: answerText(answer),
  });
  if (inserted === 'inserted') return undefined;
  const before = await recallOperation<A>(tx, operationId);
  invariant(before !== undefined, 'HOUSE:connector:OperationVanished', `${operationId} was there and is not`);
  return before;
}

interface ItemAnswers<A> {
  /** Which items the answers are for, and in which order. */
  readonly items: Digest;
  readonly answers: readonly A[];
}

/** `recallOperation` for a door that answers per item. InputFault `HOUSE:connector:OperationReused` where it was asked about others. */
export async function recallItems<A>(tx: FencedTx, operationId: OperationId, ids: readonly string[]): Promise<readonly A[] | undefined> {
  const before = await recallOperation<ItemAnswers<A>>(tx, operationId);
  return before && answersFor(before, operationId, ids);
}

/** `claimOperation` for a door that answers per item: `ids` are the items in their order, and the stored answers are for them alone. */
export async function claimItems<A>(
  tx: FencedTx,
  operationId: OperationId,
  ids: readonly string[],
  answers: readonly A[],
): Promise<readonly A[] | undefined> {
  const before = await claimOperation<ItemAnswers<A>>(tx, operationId, { items: itemsOf(ids), answers });
  return before && answersFor(before, operationId, ids);
}

const itemsOf = (ids: readonly string[]): Digest => Digest.sha256(jcs(ids));

function answersFor<A>({ items, answers }: ItemAnswers<A>, operationId: OperationId, ids: readonly string[]): readonly A[] {
  if (items !== itemsOf(ids)) throw operationReused(`${operationId} was used for other items`);
  return answers;
}
