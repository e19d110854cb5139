import type { Db } from '@connector/platform/db/db';
import { installationBindings, unprojectedHead } from '@connector/security/contract/projection';
import { admitTuple, type BoundInstallation, type TupleAdmission } from '@connector/security/model/admission';
import { readProjection } from '@connector/security/reads/projection';
import { readSecurityHead } from '@connector/security/reads/security-head';

/** What Catalog's ACTIVE tuple says of Runtime security (cat:A-46). */
export interface SecurityTuple {
  readonly organization: string;
  readonly installation: string;
  readonly securityEpoch: bigint;
}

/**
 * Whether it is admitted at the epoch that is present now. Projections never change, so only the head has to be of one moment; all three are held
 * against each other and against their digests (cat:SEC-14).
 */
export async function tupleAdmission(db: Db, tuple: SecurityTuple): Promise<TupleAdmission> {
  const { organization, installation } = tuple;
  const { securityEpoch, projectionDigest } = (await readSecurityHead(db, organization)) ?? unprojectedHead(organization);
  const boundAt = async (epoch: bigint): Promise<BoundInstallation> => {
    const stored = await readProjection(db, organization, epoch);
    if (stored === undefined) return { securityEpoch: epoch, bindings: null };
    const other = epoch === securityEpoch && stored.digest !== projectionDigest;
    return { securityEpoch: epoch, bindings: other ? 'altered' : installationBindings(stored, organization, installation) };
  };
  return admitTuple(await boundAt(tuple.securityEpoch), await boundAt(securityEpoch));
}
