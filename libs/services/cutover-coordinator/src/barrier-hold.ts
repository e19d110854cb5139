import type { BarrierHolderFence } from '@connector/kernel/brand';
import { type AttemptId, OperationId } from '@connector/kernel/ids';
import type { Owners } from '@connector/connector/contract/owners';
import { BARRIER_OWNERS, frozenScope, type OwnedBarrier } from '@connector/connector/model/serving/barriers';
import type { StoredEpoch } from '@connector/connector/model/serving/verification';
import type { Hold } from '@connector/connector/transitions/serving/begin-service';
import { takeHolderFence } from '@connector/connector/transitions/serving/take-holder-fence.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { OwnerUnavailable } from './epochs';

/** The owners' publication barriers in the hand of one run: it takes them for an attempt, or those of a run that died (cat:INT-18). */
export class BarrierHold {
  #fence: Promise<BarrierHolderFence> | undefined;

  constructor(
    private readonly main: Db,
    private readonly owners: Owners,
    private readonly attemptId: AttemptId,
  ) {}

  /** Both, in one order; the first that is not held ends it, and `release` gives the other one back. */
  async hold({ parts }: StoredEpoch): Promise<Hold> {
    const holder = { attemptId: this.attemptId, holderFence: await this.#holderFence() };
    const frozen = frozenScope(parts);
    const receipts: Record<(typeof BARRIER_OWNERS)[number], Buffer> = { catalog: Buffer.alloc(0), packs: Buffer.alloc(0) };
    for (const owner of BARRIER_OWNERS) {
      const answer = await this.owners.barriers[owner].acquire(holder, frozen);
      if (answer.kind === 'unavailable') return { kind: 'unavailable', owner };
      if (answer.kind === 'refused') return { kind: 'not-held', owner, code: answer.code };
      receipts[owner] = answer.receiptBytes;
    }
    return { kind: 'held', barriers: { ...holder, ...receipts } };
  }

  /** Everything that the attempt holds, whoever took it; nothing is asked for where it holds nothing. How many there were. */
  async release(outcome: string): Promise<{ readonly kind: 'released'; readonly barriers: number } | OwnerUnavailable> {
    let barriers = 0;
    for (const owner of BARRIER_OWNERS) {
      const listed = await this.owners.barriers[owner].heldBy(this.attemptId);
      if (listed.kind === 'unavailable') return { ...listed, owner };
      for (const held of listed.held) {
        const answer = await this.owners.barriers[owner].release(held, await this.#holderFence(), outcome);
        if (answer.kind === 'unavailable') return { kind: 'unavailable', owner };
        if (answer.kind === 'released') barriers += 1;
      }
    }
    return { kind: 'released', barriers };
  }

  #holderFence(): Promise<BarrierHolderFence> {
    const operationId = OperationId.mint();
    this.#fence ??= retrying(ANSWER_SOON, () => takeHolderFence(this.main, operationId)).then(({ holderFence }) => holderFence);
    return this.#fence;
  }
}

/** What the attempt holds now. */
export async function heldBarriers(
  owners: Owners,
  attemptId: AttemptId,
): Promise<{ readonly kind: 'found'; readonly held: readonly OwnedBarrier[] } | OwnerUnavailable> {
  const all: OwnedBarrier[] = [];
  for (const owner of BARRIER_OWNERS) {
    const listed = await owners.barriers[owner].heldBy(attemptId);
    if (listed.kind === 'unavailable') return { ...listed, owner };
    all.push(...listed.held.map((one) => ({ owner, ...one })));
  }
  return { kind: 'found', held: all };
}
