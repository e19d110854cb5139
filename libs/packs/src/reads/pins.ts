import type { Digest } from '@connector/kernel/digest';
import type { EpochId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckEpochPin, pckGenerationPin } from '@connector/schema/packs/packs';
import { PINNED_MAX } from '../model/pins';

export type EpochPins =
  | { readonly kind: 'found'; readonly epochDigest: Digest; readonly storageIds: readonly string[] }
  | { readonly kind: 'absent'; readonly code: 'EPOCH_NOT_PINNED' };

const EPOCH = readRows(pckEpochPin, ['epoch_digest'], 'WHERE epoch_id = :epoch_id');
const GENERATIONS = readRows(pckGenerationPin, ['storage_id'], `WHERE epoch_id = :epoch_id ORDER BY storage_id LIMIT ${PINNED_MAX}`);
const EPOCHS_MAX = 20;
const EPOCHS = readRows(pckGenerationPin, ['epoch_id'], `WHERE storage_id = :storage_id ORDER BY epoch_id LIMIT ${EPOCHS_MAX}`, 'epochs');

/** What this registry keeps for an epoch (cat:INT-13). Both rows are of one commit and never change, so two reads see one fact. */
export async function readPins(db: Db, epochId: EpochId): Promise<EpochPins> {
  const epoch = await db.readOne(EPOCH, { epoch_id: epochId });
  if (epoch === undefined) return { kind: 'absent', code: 'EPOCH_NOT_PINNED' };
  const rows = await db.read(GENERATIONS, { epoch_id: epochId });
  return { kind: 'found', epochDigest: epoch.epoch_digest, storageIds: rows.map((row) => row.storage_id) };
}

/** For people: at most 20 of the epochs that rely on a generation. */
export async function readEpochsOf(db: Db, storageId: string): Promise<readonly EpochId[]> {
  return (await db.read(EPOCHS, { storage_id: storageId })).map((row) => row.epoch_id);
}
