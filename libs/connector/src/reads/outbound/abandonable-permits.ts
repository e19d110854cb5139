import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit } from '@connector/schema/connector/outbound';
import { limited } from './limit';

const { permit_id, effect_id, account, credential_generation_id } = conDispatchPermit.columns;
const ABANDONABLE_MAX = 500;

const abandonable = (limit: number) =>
  readQuery(
    conDispatchPermit,
    { permit_id, effect_id, account, credential_generation_id },
    `SELECT p.permit_id, p.effect_id, p.account, p.credential_generation_id
  FROM con_dispatch_permit p
  LEFT JOIN con_credential_gate c ON c.generation_id = p.credential_generation_id
  LEFT JOIN con_egress_holder_generation g ON g.holder_id = p.holder_id AND g.fence = p.holder_fence
  LEFT JOIN ctl_termination t ON t.generation_id = g.generation_id
  LEFT JOIN ctl_isolation i ON i.generation_id = g.generation_id
 WHERE p.open_account IS NOT NULL
   AND ((t.generation_id IS NOT NULL AND i.generation_id IS NOT NULL) OR (p.state = 'granted' AND c.fence > p.credential_fence))
 ORDER BY p.open_account, p.permit_id ${limited(limit, ABANDONABLE_MAX)}`,
    'abandonable',
  );

export type AbandonablePermit = ReturnType<ReturnType<typeof abandonable>['decode']>;

/**
 * Open permits, by account and at most `limit` (1..500), whose holder's process is proved to have ended and to reach no provider, or that
 * were not sent before their credential fence moved. Receipts are never taken back and fences only rise, so what is found here stays true
 * until the permit closes.
 */
export function abandonablePermits(db: Db, limit: number): Promise<readonly AbandonablePermit[]> {
  return db.read(abandonable(limit), {});
}
