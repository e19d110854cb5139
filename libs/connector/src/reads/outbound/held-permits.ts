import type { HolderFence } from '@connector/kernel/brand';
import { int } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit } from '@connector/schema/connector/outbound';

const HELD = readQuery(
  conDispatchPermit,
  { held: int() },
  `SELECT COUNT(*) AS held FROM ${conDispatchPermit.name}
 WHERE holder_id = :holder_id AND holder_fence = :holder_fence AND state = 'granted'`,
  'held',
);

/** How many permits the holder was granted and has not begun to send; seen without a lock, so it decides nothing. */
export async function heldPermits(db: Db, holder: { readonly holderId: string; readonly holderFence: HolderFence }): Promise<number> {
  const row = await db.readOne(HELD, { holder_id: holder.holderId, holder_fence: holder.holderFence });
  return row?.held ?? 0;
}
