import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import { lockRows } from '@connector/kernel/statement';
import type { RowOf } from '@connector/kernel/table';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { pckPublicationBarrier } from '@connector/schema/packs/packs';
import { packBarrierMachine } from '../model/barrier';

const LOCK = lockRows(
  pckPublicationBarrier,
  ['organization_id', 'state', 'barrier_fence', 'holder_fence', 'attempt_id', 'receipt'],
  'WHERE organization_id = :organization_id',
);
export type LockedPackBarrier = RowOf<typeof pckPublicationBarrier>;

/** Before the generations (decisions 12.5). Undefined where the organization never had a pack; then nothing is locked. */
export function lockPackBarrier(tx: FencedTx, organization: string): Promise<LockedPackBarrier | undefined> {
  return tx.lock(LOCK, { organization_id: organization });
}

/** cat:INT-16: authors of an organization begin here. It is born open with the first of them, and held from then on until the commit. */
export async function holdPackBarrier(tx: FencedTx, organization: string): Promise<LockedPackBarrier> {
  const standing = await lockPackBarrier(tx, organization);
  if (standing !== undefined) return standing;
  const open = { organization_id: organization, state: packBarrierMachine.initial, attempt_id: null, receipt: null };
  // Somebody else's row is as good: it is locked like any that stood.
  await tx.insertNew(pckPublicationBarrier, { ...open, barrier_fence: 0n as BarrierFence, holder_fence: 0n as BarrierHolderFence });
  const made = await lockPackBarrier(tx, organization);
  invariant(made !== undefined, 'HOUSE:packs:RowVanished', 'a barrier was begun and is not there');
  return made;
}
