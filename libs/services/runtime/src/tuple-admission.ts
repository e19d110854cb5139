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

/** Whether it is admitted at the epoch that is present now. Projections never change, so only the head has to be of one moment. */
export async function tupleAdmission(db: Db, tuple: SecurityTuple): Promise<TupleAdmission> {
  const { organization, installation } = tuple;
  const { securityEpoch } = (await readSecurityHead(db, organization)) ?? unprojectedHead(organization);
  const boundAt = async (epoch: bigint): Promise<BoundInstallation> => {
    const projection = await readProjection(db, organization, epoch);
    return { securityEpoch: epoch, bindings: projection === undefined ? null : installationBindings(projection, installation) };
  };
  return admitTuple(await boundAt(tuple.securityEpoch), await boundAt(securityEpoch));
}
