/**
 * register-holder: an egress adapter takes its name under the next fence
 *
 * why     A permit names its holder by (name, fence); a process that takes the name over must not be mistaken for the one before.
 * paths   register-holder
 * fence   the name's row; one registration per process generation for ever, which is what receipts are compared with (con:OPEN-29).
 * again   Same generation while it has the name: its fence. A generation that lost the name never gets it back.
 */
import type { HolderFence } from '@connector/kernel/brand';
import { invariant, RetryableFault } from '@connector/kernel/faults';
import type { GenerationId } from '@connector/kernel/ids';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEgressHolder, conEgressHolderGeneration } from '@connector/schema/connector/outbound';
import { connectorDoors } from '../../model/paths';

export interface Registration {
  /** At most 64 bytes. */
  readonly holderId: string;
  readonly generationId: GenerationId;
}

export type RegisterHolder =
  | { readonly kind: 'registered'; readonly holderFence: HolderFence }
  /** This generation was registered before, under this name or another, and does not have the name now. */
  | { readonly kind: 'generation-spent'; readonly holderId: string; readonly holderFence: HolderFence };

const NAME = lockRows(conEgressHolder, ['fence', 'generation_id'], 'WHERE holder_id = :holder_id');
const SPENT = readRows(conEgressHolderGeneration, ['holder_id', 'fence'], 'WHERE generation_id = :generation_id');
const TAKE = updateRows(
  conEgressHolder,
  `SET fence = :fence.next, generation_id = :generation_id, registered_at = NOW(6)
 WHERE holder_id = :holder_id AND fence = :fence`,
);

export function registerHolder(db: Db, { holderId, generationId }: Registration): Promise<RegisterHolder> {
  return db.fenced(connectorDoors['register-holder'], async (tx) => {
    const held = await tx.lock(NAME, { holder_id: holderId });
    if (held?.generation_id === generationId) return { kind: 'registered', holderFence: held.fence };
    const fence = nextFence(held?.fence);
    const known = await tx.insertNew(conEgressHolderGeneration, { holder_id: holderId, fence, generation_id: generationId });
    if (known !== 'inserted') return explain(tx, holderId, generationId);
    await take(tx, held?.fence, { holderId, generationId }, fence);
    return { kind: 'registered', holderFence: fence };
  });
}

const nextFence = (fence: bigint | undefined): HolderFence => ((fence ?? 0n) + 1n) as HolderFence;

/** Which unique key refused: the generation's, or the first fence of a name that two processes take for the first time. */
async function explain(tx: FencedTx, holderId: string, generationId: GenerationId): Promise<RegisterHolder> {
  const [spent] = await tx.read(SPENT, { generation_id: generationId });
  if (spent === undefined) throw new RetryableFault('HOUSE:connector:HolderRaced', `${holderId} was taken by another process meanwhile`);
  return { kind: 'generation-spent', holderId: spent.holder_id, holderFence: spent.fence };
}

async function take(tx: FencedTx, from: HolderFence | undefined, to: Registration, fence: HolderFence): Promise<void> {
  const row = { holder_id: to.holderId, fence, generation_id: to.generationId };
  if (from === undefined) return tx.insert(conEgressHolder, [row]);
  const moved = await tx.cas(TAKE, { holder_id: to.holderId, fence: from, 'fence.next': fence, generation_id: to.generationId });
  invariant(moved, 'HOUSE:connector:CasUnexplained', `the fence of ${to.holderId} moved under its lock`);
}
