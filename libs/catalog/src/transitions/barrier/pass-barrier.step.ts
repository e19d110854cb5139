import type { AttemptId } from '@connector/kernel/ids';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { type BarrierScope, lockBarrier } from '../../fences/barrier';

/** An activation relies on what stands here: the same asking may be sent again once it is over, or once it is given up and released. */
export interface BarrierHeld {
  readonly kind: 'barrier-held';
  /** The activation attempt that holds it. */
  readonly attemptId: AttemptId | null;
}

/**
 * cat:INT-16. Every door that authors, publishes or selects in an installation begins here; undefined means that it may, and nobody acquires the
 * barrier before its commit. Steps 2 and 3 of a publication, references to a binding and decisions on its retention do not: they record what others
 * did, and neither a view nor what a publication makes is other for them.
 */
export async function passBarrier(tx: FencedTx, scope: BarrierScope): Promise<BarrierHeld | undefined> {
  const barrier = await lockBarrier(tx, scope);
  return barrier?.state === 'held' ? { kind: 'barrier-held', attemptId: barrier.attempt_id } : undefined;
}
