import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { artBlob } from '@connector/schema/artifacts/artifacts';

export interface StoredBlob {
  readonly componentDigest: Digest;
  readonly componentKind: string;
  readonly formatVersion: number;
  readonly rawSha256: Digest;
  readonly bytes: Buffer;
}

/** Sixteen blobs are at most 64 MiB. */
const AT_ONCE_MAX = 16;
const BLOBS = readRows(
  artBlob,
  ['component_digest', 'component_kind', 'format_version', 'raw_sha256', 'bytes'],
  `WHERE component_digest IN (:component_digest) LIMIT ${AT_ONCE_MAX}`,
);

/** What stands under these digests, as it stands: whether it is of them is for whoever reads it to see. At most sixteen. */
export async function readBlobs(db: Db, digests: readonly Digest[]): Promise<readonly StoredBlob[]> {
  if (digests.length === 0) return [];
  const rows = await db.read(BLOBS, { component_digest: [...new Set(digests)] });
  return rows.map((row) => ({
    componentDigest: row.component_digest,
    componentKind: row.component_kind,
    formatVersion: row.format_version,
    rawSha256: row.raw_sha256,
    bytes: row.bytes,
  }));
}
