/**
 * fail-conversion: a conversion that was not proven, or that was given up
 *
 * why     Of a mismatch nothing is left but the word of it (cat:CONV-18). Written before its hold is released: after this row nobody converts under it.
 * paths   fail-conversion
 * locks   none
 * fence   the attempt, which is the hold: the row of whoever decides it first is the one there is.
 * again   The attempt.
 */
import type { DocumentFault } from '@connector/kernel/document-fault';
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catConversion } from '@connector/schema/catalog/conversion';
import { attemptRow, type ConversionKey, failureOf } from '../../model/conversion/journal';
import { catalogDoors } from '../../model/paths';

export interface FailConversion {
  readonly key: ConversionKey;
  readonly attemptId: OperationId;
  readonly faults: readonly DocumentFault[];
  readonly caller: string;
}
export type FailedConversion =
  | { readonly kind: 'failed' | 'already-failed' }
  /** Somebody converted under this very hold. */
  | { readonly kind: 'converted'; readonly installation: string };

const ATTEMPT = readRows(
  catConversion,
  ['app_installation_id'],
  'WHERE organization_id = :organization_id AND attempt_id = :attempt_id',
  'attempt',
);

export function failConversion(db: Db, { key, attemptId, faults, caller }: FailConversion): Promise<FailedConversion> {
  return db.fenced(catalogDoors['fail-conversion'], async (tx) => {
    const nothing = { conversion_key: null, converted_app_id: null, converted_source: null, app_installation_id: null };
    const row = { ...attemptRow(key, attemptId, caller), ...nothing, entry: failureOf(faults) };
    if ((await tx.insertNew(catConversion, row)) === 'inserted') return { kind: 'failed' };
    const [standing] = await tx.read(ATTEMPT, { organization_id: key.organization, attempt_id: attemptId });
    invariant(standing !== undefined, 'HOUSE:catalog:RowVanished', 'an attempt was decided and is not there');
    const { app_installation_id: installation } = standing;
    return installation === null ? { kind: 'already-failed' } : { kind: 'converted', installation };
  });
}
