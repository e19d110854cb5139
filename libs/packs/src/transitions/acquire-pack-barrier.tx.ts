/**
 * acquire-pack-barrier: an activation holds the pack authors of an organization off
 *
 * why     The generations that an epoch froze are what its bindings mean while it begins to serve (decisions 10). A successor of the coordinator
 *         takes over what its predecessor held, with the same receipt (cat:INT-18).
 * paths   acquire-pack-barrier
 * locks   barrier
 * fence   the barrier open, or held by this attempt; the holder fence not below the highest that ever held or released it, and above it for a new
 *         hold (cat:INT-17); every named generation there, of its digest.
 * again   The attempt: held by it already, the same receipt.
 */
import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { AttemptId } from '@connector/kernel/ids';
import { packsBarrierReceipt } from '@connector/kernel/publication-barrier';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { pckGeneration, pckPublicationBarrier } from '@connector/schema/packs/packs';
import { audit } from '../fences/audit';
import { lockPackBarrier, type LockedPackBarrier } from '../fences/barrier';
import { packBarrierMachine } from '../model/barrier';
import { packDoors } from '../model/paths';
import { type GenerationName, PINNED_MAX } from '../model/pins';

export interface AcquirePackBarrier {
  readonly organization: string;
  readonly attemptId: AttemptId;
  readonly holderFence: BarrierHolderFence;
  /** 1 to 500, each once; InputFault of the receipt otherwise. */
  readonly generations: readonly GenerationName[];
}
export type AcquiredPackBarrier =
  | { readonly kind: 'held'; readonly barrierFence: BarrierFence; readonly receiptBytes: Buffer; readonly receiptDigest: Digest }
  /** By another attempt, until somebody releases it. */
  | { readonly kind: 'conflict'; readonly attemptId: AttemptId | null }
  | { readonly kind: 'drift'; readonly absent: readonly GenerationName[] }
  | { readonly kind: 'stale-holder'; readonly holderFence: BarrierHolderFence }
  /** The organization never had a pack. */
  | { readonly kind: 'no-packs' };

const ONE = 'WHERE organization_id = :organization_id';
const HOLD = updateRows(
  pckPublicationBarrier,
  `SET state = 'held', barrier_fence = :barrier_fence.next, holder_fence = :holder_fence, attempt_id = :attempt_id, receipt = :receipt
   ${ONE} AND state = 'open' AND barrier_fence = :barrier_fence AND holder_fence < :holder_fence`,
  'hold',
);
const TAKE_OVER = updateRows(
  pckPublicationBarrier,
  `SET holder_fence = :holder_fence ${ONE} AND state = 'held' AND attempt_id = :attempt_id AND holder_fence <= :holder_fence`,
  'take-over',
);
const NAMED = readRows(pckGeneration, ['storage_id', 'payload_digest'], `WHERE storage_id IN (:storage_id) LIMIT ${PINNED_MAX}`, 'named');

export function acquirePackBarrier(db: Db, input: AcquirePackBarrier): Promise<AcquiredPackBarrier> {
  return db.fenced(packDoors['acquire-pack-barrier'], async (tx) => {
    const row = await lockPackBarrier(tx, input.organization);
    if (row === undefined) return { kind: 'no-packs' };
    const held = packBarrierMachine.parse(row.state) === 'held';
    if (held && row.attempt_id !== input.attemptId) return { kind: 'conflict', attemptId: row.attempt_id };
    const absent = await absentOf(tx, input.generations);
    if (absent.length > 0) return { kind: 'drift', absent };
    const receipt = held ? await takeOver(tx, row, input) : await hold(tx, row, input);
    if (receipt === undefined) return { kind: 'stale-holder', holderFence: row.holder_fence };
    const { value, bytes: receiptBytes, digest: receiptDigest } = packsBarrierReceipt.parse(receipt);
    return { kind: 'held', barrierFence: BigInt(value.barrier_fence) as BarrierFence, receiptBytes, receiptDigest };
  });
}

/** A generation never changes, so a plain read tells; whoever would take one away holds the barrier. */
async function absentOf(tx: FencedTx, generations: readonly GenerationName[]): Promise<readonly GenerationName[]> {
  const rows = await tx.read(NAMED, { storage_id: generations.map(({ storageId }) => storageId) });
  const there = new Map(rows.map((row) => [row.storage_id, row.payload_digest]));
  return generations.filter(({ storageId, payloadDigest }) => there.get(storageId) !== payloadDigest);
}

/** The receipt that stands; undefined where a higher holder took over. */
async function takeOver(tx: FencedTx, row: LockedPackBarrier, input: AcquirePackBarrier): Promise<Buffer | undefined> {
  const { organization: organization_id, attemptId: attempt_id, holderFence: holder_fence } = input;
  if (!(await tx.cas(TAKE_OVER, { organization_id, attempt_id, holder_fence }))) return undefined;
  invariant(row.receipt !== null, 'HOUSE:packs:BarrierWithoutReceipt', `${organization_id} is held without a receipt`);
  return row.receipt;
}

async function hold(tx: FencedTx, row: LockedPackBarrier, input: AcquirePackBarrier): Promise<Buffer | undefined> {
  const { organization: organization_id, attemptId: attempt_id, holderFence: holder_fence } = input;
  const next = (row.barrier_fence + 1n) as BarrierFence;
  const { bytes: receipt } = packsBarrierReceipt.build({
    schema_version: 'nexuscrm.publication-barrier-receipt/v1',
    owner: 'packs',
    organization_id,
    attempt_id,
    barrier_fence: next.toString(),
    generations: input.generations.map((one) => ({ storage_id: one.storageId, pack_payload_digest: one.payloadDigest })),
  });
  const fences = { barrier_fence: row.barrier_fence, 'barrier_fence.next': next, holder_fence };
  if (!(await tx.cas(HOLD, { organization_id, ...fences, attempt_id, receipt }))) return undefined;
  const details = { attempt_id, barrier_fence: next.toString(), holder_fence: holder_fence.toString() };
  await audit(tx, { caller: 'cutover-coordinator', organization: organization_id, details });
  return receipt;
}
