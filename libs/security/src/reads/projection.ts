import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { secProjection } from '@connector/schema/security/security';

const AT = readRows(
  secProjection,
  ['projection', 'projection_digest'],
  'WHERE organization_id = :organization_id AND security_epoch = :security_epoch',
);

/** The projection of one epoch as it stands; its bytes are not yet held against its digest. */
export interface StoredProjection {
  readonly bytes: Buffer;
  readonly digest: Digest;
}

/** The complete projection of one epoch, immutable; undefined where no such epoch was allocated. */
export async function readProjection(db: Db, organization: string, securityEpoch: bigint): Promise<StoredProjection | undefined> {
  const row = await db.readOne(AT, { organization_id: organization, security_epoch: securityEpoch });
  return row && { bytes: row.projection, digest: row.projection_digest };
}
