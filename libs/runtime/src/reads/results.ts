import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { CommandId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { runApplicationResult } from '@connector/schema/runtime/runtime';
import { applicationOutcome, type ApplicationOutcome } from '../model/application';

/** Runtime identity is the command and the digest of its ExecutionRef, and nothing more (con:IDN-09). */
export interface ResultQuestion {
  readonly commandId: CommandId;
  readonly executionRefDigest: Digest;
}

export type StoredResult =
  /** There is none, or it is of another ExecutionRef: nobody can tell which (con:IDN-15, con:ARES-R). */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'found';
      readonly outcome: ApplicationOutcome;
      readonly resultDigest: Digest;
      readonly commitReceipt: Buffer;
      readonly commitReceiptDigest: Digest;
    };

export const RESULTS_MAX = 200;

const RESULTS = readRows(
  runApplicationResult,
  ['command_id', 'execution_ref_digest', 'outcome', 'result_digest', 'commit_receipt', 'commit_receipt_digest'],
  `WHERE command_id IN (:command_id) LIMIT ${RESULTS_MAX}`,
);
const ABSENT: StoredResult = { kind: 'absent' };

/** At most 200 questions, an answer for each in order. A result that is there is there for ever; absence proves nothing. */
export async function readResults(db: Db, questions: readonly ResultQuestion[]): Promise<readonly StoredResult[]> {
  invariant(questions.length <= RESULTS_MAX, 'HOUSE:runtime:ResultsAsked', `${questions.length}, at most ${RESULTS_MAX}`);
  if (questions.length === 0) return [];
  const rows = await db.read(RESULTS, { command_id: questions.map(({ commandId }) => commandId) });
  const found = new Map(rows.map((row) => [row.command_id, row]));
  return questions.map(({ commandId, executionRefDigest }) => {
    const row = found.get(commandId);
    return row?.execution_ref_digest === executionRefDigest ? storedResult(row) : ABSENT;
  });
}

function storedResult(row: ReturnType<typeof RESULTS.decode>): StoredResult {
  return {
    kind: 'found',
    outcome: applicationOutcome(row.outcome),
    resultDigest: row.result_digest,
    commitReceipt: row.commit_receipt,
    commitReceiptDigest: row.commit_receipt_digest,
  };
}
