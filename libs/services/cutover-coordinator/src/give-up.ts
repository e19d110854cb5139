import { InputFault } from '@connector/kernel/faults';
import type { AttemptId, OperationId } from '@connector/kernel/ids';
import type { Owners } from '@connector/connector/contract/owners';
import { barrierText, type OwnedBarrier } from '@connector/connector/model/serving/barriers';
import { readReleasing } from '@connector/connector/reads/serving/releasing';
import { takeHolderFence } from '@connector/connector/transitions/serving/take-holder-fence.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { heldBarriers } from './barrier-hold';
import type { OwnerUnavailable } from './epochs';

export interface GiveUp {
  readonly operationId: OperationId;
  readonly attemptId: AttemptId;
  /** Everything that it was seen to hold. */
  readonly barriers: readonly OwnedBarrier[];
  readonly outcome: string;
}
export type GivenUp =
  | { readonly kind: 'released'; readonly barriers: readonly OwnedBarrier[] }
  /** It holds something else now, or in the hand of a newer run: nothing was released. */
  | { readonly kind: 'moved' };

const same = (some: readonly OwnedBarrier[], others: readonly OwnedBarrier[]): boolean =>
  some.map(barrierText).join() === others.map(barrierText).join();

/**
 * Somebody gives an attempt up: its run is fenced off, then what it was seen to hold is released and nothing else (cat:INT-17). The operation that
 * has begun goes on with what it began with: what is open already is released. InputFault `HOUSE:coordinator:OperationReused` for other barriers.
 */
export async function giveUp(
  main: Db,
  owners: Owners,
  { operationId, attemptId, barriers, outcome }: GiveUp,
): Promise<GivenUp | OwnerUnavailable> {
  if ((await readReleasing(main, operationId)) === undefined) {
    const listed = await heldBarriers(owners, attemptId);
    if (listed.kind === 'unavailable') return listed;
    if (!same(listed.held, barriers)) return { kind: 'moved' };
  }
  const { holderFence, releasing = [] } = await retrying(ANSWER_SOON, () => takeHolderFence(main, operationId, barriers));
  if (!same(releasing, barriers))
    throw new InputFault('HOUSE:coordinator:OperationReused', `${operationId} was used to release other barriers`);
  const open: OwnedBarrier[] = [];
  for (const barrier of barriers) {
    const { kind } = await owners.barriers[barrier.owner].release(barrier, holderFence, outcome);
    if (kind === 'unavailable') return { kind, owner: barrier.owner };
    // What is stale is in the hand of a newer run, or held anew.
    if (kind === 'released') open.push(barrier);
  }
  return open.length > 0 ? { kind: 'released', barriers: open } : { kind: 'moved' };
}
