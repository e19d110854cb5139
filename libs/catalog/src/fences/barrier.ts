import { lockRows } from '@connector/kernel/statement';
import type { RowOf } from '@connector/kernel/table';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catPublicationBarrier } from '@connector/schema/catalog/barriers';

const LOCK = lockRows(
  catPublicationBarrier,
  ['organization_id', 'app_installation_id', 'state', 'barrier_fence', 'holder_fence', 'attempt_id', 'receipt'],
  'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id',
);

export interface BarrierScope {
  readonly organization: string;
  readonly installation: string;
}
export type LockedBarrier = RowOf<typeof catPublicationBarrier>;

export const barrierKey = ({ organization, installation }: BarrierScope) => ({
  organization_id: organization,
  app_installation_id: installation,
});

/** Before the lineage and everything behind it (decisions 12.5). Undefined only where there is no such installation: the door that mints its id makes both. */
export function lockBarrier(tx: FencedTx, scope: BarrierScope): Promise<LockedBarrier | undefined> {
  return tx.lock(LOCK, barrierKey(scope));
}
