import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { secProjection } from '@connector/schema/security/security';

const AT = readRows(secProjection, ['projection'], 'WHERE organization_id = :organization_id AND security_epoch = :security_epoch');

/** The complete projection of one epoch, immutable; undefined where no such epoch was allocated. */
export async function readProjection(db: Db, organization: string, securityEpoch: bigint): Promise<Buffer | undefined> {
  return (await db.readOne(AT, { organization_id: organization, security_epoch: securityEpoch }))?.projection;
}
