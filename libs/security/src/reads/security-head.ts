import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { secHead } from '@connector/schema/security/security';
import type { SecurityHead } from '../model/security-head';

const HEAD = readRows(secHead, ['security_epoch', 'projection_digest', 'other_inputs_digest'], 'WHERE organization_id = :organization_id');

/** One row, so epoch and digests are of one moment (decisions 12.4); undefined where nobody wrote for the organization: `unprojectedHead`. */
export async function readSecurityHead(db: Db, organization: string): Promise<SecurityHead | undefined> {
  const row = await db.readOne(HEAD, { organization_id: organization });
  if (row === undefined) return undefined;
  return { securityEpoch: row.security_epoch, otherInputsDigest: row.other_inputs_digest, projectionDigest: row.projection_digest };
}
