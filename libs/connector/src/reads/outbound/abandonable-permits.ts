import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit } from '@connector/schema/connector/outbound';
import { limited } from './limit';

const { permit_id, effect_id, account } = conDispatchPermit.columns;
const ABANDONABLE_MAX = 500;

const abandonable = (limit: number) =>
  readQuery(
    conDispatchPermit,
    { permit_id, effect_id, account },
    `SELECT p.permit_id, p.effect_id, p.account
  FROM con_dispatch_permit p
  JOIN con_egress_holder_generation g ON g.holder_id = p.holder_id AND g.fence = p.holder_fence
  JOIN ctl_termination t ON t.generation_id = g.generation_id
  JOIN ctl_isolation i ON i.generation_id = g.generation_id
 WHERE p.open_account IS NOT NULL ORDER BY p.open_account, p.permit_id ${limited(limit, ABANDONABLE_MAX)}`,
    'abandonable',
  );

export type AbandonablePermit = ReturnType<ReturnType<typeof abandonable>['decode']>;

/**
 * Open permits, by account and at most `limit` (1..500), whose holder's process is proved to have ended and to reach no provider. Receipts
 * are never taken back, so what is found here stays true until the permit closes.
 */
export function abandonablePermits(db: Db, limit: number): Promise<readonly AbandonablePermit[]> {
  return db.read(abandonable(limit), {});
}
