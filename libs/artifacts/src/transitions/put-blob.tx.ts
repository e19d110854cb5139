/**
 * put-blob: behaviour bytes under their ComponentDigest
 *
 * why     A release names its behaviour by content; the bytes are uploaded before it, one by one, and stay for ever (decisions 12.10).
 * paths   put-blob
 * fence   the primary key, which is computed from the bytes. Insert-only.
 * again   The component digest: the same bytes again are the blob that stands.
 */
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import { digestsOf, sameDigests, type Blob, type BlobDigests, type StoredBlob } from '@connector/catalog/contract/artifact-registry';
import type { Db } from '@connector/platform/db/db';
import { artBlob } from '@connector/schema/artifacts/artifacts';
import { artifactDoors } from '../model/paths';

const STANDING = readRows(
  artBlob,
  ['component_kind', 'format_version', 'raw_sha256', 'bytes'],
  'WHERE component_digest = :component_digest',
);

/** InputFault where the bytes are more than 4 MiB. */
export async function putBlob(db: Db, said: BlobDigests, blob: Blob): Promise<StoredBlob> {
  const found = digestsOf(blob);
  if (!sameDigests(said, found)) return { kind: 'digest-differs', ...found };
  const { componentKind, formatVersion, bytes } = blob;
  const key = { component_digest: found.componentDigest };
  const row = { ...key, component_kind: componentKind, format_version: formatVersion, raw_sha256: found.rawSha256, bytes };
  return db.fenced(artifactDoors['put-blob'], async (tx) => {
    if ((await tx.insertNew(artBlob, row)) === 'inserted') return { kind: 'stored' };
    const [standing] = await tx.read(STANDING, key);
    invariant(standing !== undefined, 'HOUSE:artifacts:RowVanished', 'a blob was there and is not');
    // Insert-only: nobody repairs a row here, whoever sent the right bytes again.
    return { kind: standing.bytes.equals(bytes) && standing.raw_sha256 === found.rawSha256 ? 'already-stored' : 'corrupt' };
  });
}
