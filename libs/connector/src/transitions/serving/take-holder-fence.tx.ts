/**
 * take-holder-fence: a run takes the owners' publication barriers into its hand, and whoever had them is fenced off
 *
 * why     An activation may be taken over, or given up, while the run that began it is only slow. From this commit on that run neither activates
 *         (activate-genesis compares the fence) nor holds nor releases anything with an owner that has heard of the higher one (cat:INT-17).
 * paths   take-holder-fence
 * locks   service
 * fence   none: it is a new one.
 * again   The operation id.
 */
import type { BarrierHolderFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conService } from '@connector/schema/connector/serving';
import { claimOperation, recallOperation } from '../../fences/operation';
import { connectorDoors } from '../../model/paths';
import type { OwnedBarrier } from '../../model/serving/barriers';
import { SERVICE_KEY } from '../../model/serving/work';

export interface TakenHolderFence {
  readonly kind: 'taken';
  readonly holderFence: BarrierHolderFence;
  /** What it was taken to release, where somebody gives an attempt up: the same operation goes on with exactly that (`readReleasing`). */
  readonly releasing?: readonly OwnedBarrier[];
}

const SERVICE = lockRows(conService, ['holder_fence'], 'WHERE service_key = :service_key');
const RAISE = updateRows(conService, 'SET holder_fence = :holder_fence WHERE service_key = :service_key', 'holder');

export function takeHolderFence(db: Db, operationId: OperationId, releasing?: readonly OwnedBarrier[]): Promise<TakenHolderFence> {
  return db.fenced(connectorDoors['take-holder-fence'], async (tx) => {
    const service = await tx.lock(SERVICE, { service_key: SERVICE_KEY });
    invariant(service !== undefined, 'HOUSE:connector:ServiceRowMissing', 'migrate creates the service row');
    const before = await recallOperation<TakenHolderFence>(tx, operationId);
    if (before !== undefined) return before;
    const holderFence = ((service.holder_fence ?? 0n) + 1n) as BarrierHolderFence;
    const answer: TakenHolderFence = { kind: 'taken', holderFence, ...(releasing && { releasing }) };
    const raced = await claimOperation(tx, operationId, answer);
    invariant(raced === undefined, 'HOUSE:connector:CasUnexplained', `${operationId} was claimed under the service row`);
    invariant(await tx.cas(RAISE, { service_key: SERVICE_KEY, holder_fence: holderFence }), 'HOUSE:connector:CasUnexplained', SERVICE_KEY);
    return answer;
  });
}
