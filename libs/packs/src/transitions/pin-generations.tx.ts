/**
 * pin-generations: an epoch relies on these pack generations
 *
 * why     A definition must stay readable as long as an epoch refers to it; whoever takes a generation away asks the pins first (cat:INT-13).
 * paths   pin-generations
 * fence   The generations, locked: what takes one away locks it too, so it is either pinned or gone. The pin of an epoch is insert-only.
 * again   The epoch id: the same digest and generations again are the same pin.
 */
import type { Digest } from '@connector/kernel/digest';
import { InputFault, invariant } from '@connector/kernel/faults';
import type { EpochId } from '@connector/kernel/ids';
import { lockRows, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { pckEpochPin, pckGeneration, pckGenerationPin } from '@connector/schema/packs/packs';
import { packDoors } from '../model/paths';
import { type GenerationName, PINNED_MAX } from '../model/pins';

export interface PinGenerations {
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  /** 1 to 500, each once; InputFault otherwise. */
  readonly generations: readonly GenerationName[];
}

export type PinnedGenerations =
  | { readonly kind: 'pinned' }
  | { readonly kind: 'absent'; readonly code: 'GENERATION_ABSENT'; readonly which: readonly GenerationName[] }
  /** The epoch id is pinned for another digest or other generations; nothing of it is changed. */
  | { readonly kind: 'conflicting-pin'; readonly epochDigest: Digest };

const GENERATIONS = lockRows(pckGeneration, ['storage_id', 'payload_digest'], 'WHERE storage_id IN (:storage_id)');
const STANDING = readRows(pckEpochPin, ['epoch_digest'], 'WHERE epoch_id = :epoch_id');
const PINNED = readRows(pckGenerationPin, ['storage_id'], `WHERE epoch_id = :epoch_id LIMIT ${PINNED_MAX}`);

export async function pinGenerations(db: Db, input: PinGenerations): Promise<PinnedGenerations> {
  const { size } = new Set(input.generations.map(({ storageId }) => storageId));
  if (size === 0 || size > PINNED_MAX || size !== input.generations.length)
    throw new InputFault('HOUSE:packs:PinsCount', `1 to ${PINNED_MAX} generations, each once`);
  return db.fenced(packDoors['pin-generations'], async (tx) => {
    const which = await absent(tx, input.generations);
    if (which.length > 0) return { kind: 'absent', code: 'GENERATION_ABSENT', which };
    return pin(tx, input);
  });
}

async function absent(tx: FencedTx, generations: readonly GenerationName[]): Promise<readonly GenerationName[]> {
  const rows = await tx.lockMany(GENERATIONS, { storage_id: generations.map(({ storageId }) => storageId) });
  const there = new Map(rows.map((row) => [row.storage_id, row.payload_digest]));
  return generations.filter(({ storageId, payloadDigest }) => there.get(storageId) !== payloadDigest);
}

async function pin(tx: FencedTx, input: PinGenerations): Promise<PinnedGenerations> {
  const { epochId, epochDigest, generations } = input;
  const row = { epoch_id: epochId, epoch_digest: epochDigest };
  if ((await tx.insertNew(pckEpochPin, row)) !== 'inserted') return standing(tx, input);
  await tx.insert(
    pckGenerationPin,
    generations.map(({ storageId }) => ({ epoch_id: epochId, storage_id: storageId })),
  );
  return { kind: 'pinned' };
}

/** A digest has one set of generations; another one under it is told as what it is, and not merged. */
async function standing(tx: FencedTx, { epochId, epochDigest, generations }: PinGenerations): Promise<PinnedGenerations> {
  const [row] = await tx.read(STANDING, { epoch_id: epochId });
  invariant(row !== undefined, 'HOUSE:packs:RowVanished', `${epochId} was pinned and is not`);
  const pinned = new Set((await tx.read(PINNED, { epoch_id: epochId })).map(({ storage_id: storageId }) => storageId));
  const same =
    row.epoch_digest === epochDigest && pinned.size === generations.length && generations.every((one) => pinned.has(one.storageId));
  return same ? { kind: 'pinned' } : { kind: 'conflicting-pin', epochDigest: row.epoch_digest };
}
