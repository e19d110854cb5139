import { Digest } from '@connector/kernel/digest';
import type { Instant } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckGeneration, pckInstallation } from '@connector/schema/packs/packs';
import { packManifest, type PackManifest } from '../model/documents';

/** A registered generation as people list it. */
export interface ListedGeneration {
  readonly ownerPack: string;
  readonly packVersion: string;
  readonly payloadDigest: Digest;
  readonly storageId: string;
  readonly registeredAt: Instant;
}
export interface ShownGeneration extends ListedGeneration {
  readonly manifest: PackManifest;
  /** At most 100 organizations that have the pack, by their own id for it. */
  readonly installations: readonly { readonly organization: string; readonly packInstallationId: string }[];
}

/** One generation by where it stands. Its definitions are the manifest's; the bytes of each are read by its whole identity (cat:INT-12). */
export type GenerationBytes =
  | ({ readonly kind: 'found'; readonly manifestBytes: Buffer } & ListedGeneration)
  | { readonly kind: 'absent'; readonly code: 'GENERATION_ABSENT' }
  | { readonly kind: 'invalid'; readonly code: 'ID_NOT_CANONICAL' };

export const GENERATIONS_MAX = 200;
const INSTALLATIONS_MAX = 100;
const COLUMNS = ['owner_pack', 'pack_version', 'payload_digest', 'storage_id', 'registered_at'] as const;
const ORDER = `ORDER BY owner_pack, pack_version LIMIT ${GENERATIONS_MAX + 1}`;
const FIRST = readRows(pckGeneration, COLUMNS, ORDER, 'list');
const AFTER = readRows(
  pckGeneration,
  COLUMNS,
  `WHERE owner_pack > :owner_pack OR (owner_pack = :owner_pack AND pack_version > :pack_version) ${ORDER}`,
  'list-after',
);
const BY_DIGEST = readRows(pckGeneration, [...COLUMNS, 'manifest'], 'WHERE payload_digest = :payload_digest', 'shown');
const BY_PLACE = readRows(pckGeneration, [...COLUMNS, 'manifest'], 'WHERE storage_id = :storage_id', 'stored');
const BY_VERSION = readRows(
  pckGeneration,
  [...COLUMNS, 'manifest'],
  'WHERE owner_pack = :owner_pack AND pack_version = :pack_version',
  'shown-version',
);
const INSTALLATIONS = readRows(
  pckInstallation,
  ['organization_id', 'pack_installation_id'],
  `WHERE owner_pack = :owner_pack ORDER BY organization_id LIMIT ${INSTALLATIONS_MAX}`,
  'of-pack',
);

/** A generation by what people call it: `dev.example.pack@1.0.0`. */
export interface GenerationLabel {
  readonly ownerPack: string;
  readonly packVersion: string;
}

export function parseGenerationLabel(text: string): GenerationLabel {
  const [, ownerPack, packVersion] = /^([^@]{1,128})@([^@]{1,32})$/.exec(text) ?? [];
  if (ownerPack !== undefined && packVersion !== undefined) return { ownerPack, packVersion };
  throw new InputFault('HOUSE:packs:GenerationLabel', 'a generation is <pack>@<version> or sha256:<64 hex digits>');
}

/** In order of pack and version; `after` is the last one that was seen. */
export async function listGenerations(
  db: Db,
  limit: number,
  after: GenerationLabel | undefined,
): Promise<{ readonly rows: readonly ListedGeneration[]; readonly next: string | null }> {
  const key = after && { owner_pack: after.ownerPack, pack_version: after.packVersion };
  const found = key === undefined ? await db.read(FIRST, {}) : await db.read(AFTER, key);
  const rows = found.slice(0, limit).map(listed);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? `${last.ownerPack}@${last.packVersion}` : null };
}

const STORAGE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function readGenerationBytes(db: Db, storageId: string): Promise<GenerationBytes> {
  if (!STORAGE_ID.test(storageId)) return { kind: 'invalid', code: 'ID_NOT_CANONICAL' };
  const row = await db.readOne(BY_PLACE, { storage_id: storageId });
  return row === undefined ? { kind: 'absent', code: 'GENERATION_ABSENT' } : { kind: 'found', ...listed(row), manifestBytes: row.manifest };
}

/** By its payload digest or by its label; undefined where none is registered. */
export async function showGeneration(db: Db, text: string): Promise<ShownGeneration | undefined> {
  const row = text.startsWith('sha256:') ? await db.readOne(BY_DIGEST, { payload_digest: Digest.parse(text) }) : await byLabel(db, text);
  if (row === undefined) return undefined;
  const installed = await db.read(INSTALLATIONS, { owner_pack: row.owner_pack });
  const installations = installed.map((one) => ({ organization: one.organization_id, packInstallationId: one.pack_installation_id }));
  return { ...listed(row), manifest: packManifest.parse(row.manifest).value, installations };
}

function byLabel(db: Db, text: string) {
  const { ownerPack, packVersion } = parseGenerationLabel(text);
  return db.readOne(BY_VERSION, { owner_pack: ownerPack, pack_version: packVersion });
}

interface Row {
  readonly owner_pack: string;
  readonly pack_version: string;
  readonly payload_digest: Digest;
  readonly storage_id: string;
  readonly registered_at: Instant;
}
function listed(row: Row): ListedGeneration {
  return {
    ownerPack: row.owner_pack,
    packVersion: row.pack_version,
    payloadDigest: row.payload_digest,
    storageId: row.storage_id,
    registeredAt: row.registered_at,
  };
}
