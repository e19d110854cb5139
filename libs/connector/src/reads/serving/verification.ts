import type { EpochId, OperationId } from '@connector/kernel/ids';
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import { parseStrict } from '@connector/kernel/strict-json';
import type { Db } from '@connector/platform/db/db';
import { conEpochVerification } from '@connector/schema/connector/serving';

/** How a candidate was decided, once and for ever. */
export interface DecidedEpoch {
  readonly operationId: OperationId;
  readonly verdict: 'verified' | 'rejected';
  /** Of a rejection. */
  readonly reason: string | null;
}

const DECIDED = readRows(conEpochVerification, ['operation_id', 'verdict', 'evidence'], 'WHERE epoch_id = :epoch_id');

/** Undefined says nothing yet: a commit may still be on its way. */
export async function readVerification(db: Db, epochId: EpochId): Promise<DecidedEpoch | undefined> {
  const row = await db.readOne(DECIDED, { epoch_id: epochId });
  if (row === undefined) return undefined;
  const { operation_id: operationId, verdict } = row;
  invariant(verdict === 'verified' || verdict === 'rejected', 'HOUSE:connector:VerdictUnknown', `${epochId}: ${verdict}`);
  return { operationId, verdict, reason: verdict === 'rejected' ? reasonOf(row.evidence) : null };
}

function reasonOf(evidence: Buffer): string | null {
  const parsed = parseStrict(evidence);
  const reason: unknown =
    parsed.ok && typeof parsed.value === 'object' && parsed.value !== null ? Reflect.get(parsed.value, 'reason') : null;
  return typeof reason === 'string' ? reason : null;
}
