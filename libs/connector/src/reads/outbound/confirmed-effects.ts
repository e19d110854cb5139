import type { AccountName } from '@connector/kernel/brand';
import type { EffectId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conRemoteEffect } from '@connector/schema/connector/outbound';
import { limited } from './limit';

const confirmed = (limit: number) =>
  readRows(
    conRemoteEffect,
    ['effect_id'],
    `WHERE finalize_account = :finalize_account ORDER BY effect_id ${limited(limit, 50)}`,
    'confirmed',
  );

/** Effects of the account that wait to be finalized, at most `limit` (1..50). One whose link is in conflict waits no more. */
export async function confirmedEffects(db: Db, account: AccountName, limit: number): Promise<readonly EffectId[]> {
  const rows = await db.read(confirmed(limit), { finalize_account: account });
  return rows.map((row) => row.effect_id);
}
