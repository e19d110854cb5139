import { answerOf, answerText } from '@connector/kernel/answer-text';
import { InputFault, RetryableFault } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catRequest } from '@connector/schema/catalog/request';
import type { RequestKey } from '../model/request';

const KEPT = readRows(catRequest, ['door', 'request_digest', 'answer'], 'WHERE caller = :caller AND request_key = :request_key');

/**
 * What an earlier run of this request answered; undefined where none has committed. Ask under the first lock and before any clause is
 * judged: the earlier run itself made the clauses false. InputFault `HOUSE:catalog:RequestReused` where the key stands for another asking.
 */
export async function recallRequest<A>(tx: FencedTx, { caller, key, digest }: RequestKey): Promise<A | undefined> {
  const [row] = await tx.read(KEPT, { caller, request_key: key });
  if (row === undefined) return undefined;
  if (row.door === tx.door.name && row.request_digest === digest) return answerOf<A>(row.answer);
  throw new InputFault('HOUSE:catalog:RequestReused', 'this Idempotency-Key stands for another request; another request needs another key');
}

/**
 * Keeps the answer in the commit of what it tells, so the same request again is answered by `recallRequest` (decisions 12.7). Only a run that
 * writes keeps one: a refusal wrote nothing and is judged anew. RetryableFault where another run of the request was faster.
 */
export async function keepRequest<A>(tx: FencedTx, { caller, key, digest }: RequestKey, answer: A): Promise<A> {
  const row = { caller, request_key: key, door: tx.door.name, request_digest: digest, answer: answerText(answer) };
  if ((await tx.insertNew(catRequest, row)) === 'inserted') return answer;
  throw new RetryableFault('HOUSE:catalog:RequestRaced', `${tx.door.name}: another run of this request was faster`);
}
