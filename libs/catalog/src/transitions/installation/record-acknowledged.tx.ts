/**
 * record-acknowledged: step 3, Runtime's binding comes into the journal
 *
 * why     Catalog keeps what it was given, byte for byte, and never makes it (cat:PUBL-06, cat:SEC-10).
 * paths   record-acknowledged
 * locks   lineage
 * fence   the attempt is the open one of its organization.
 * again   Installation, attempt and step: the same command has one binding, so another one is a lie and is told.
 */
import type { Db } from '@connector/platform/db/db';
import type { BoundAppGrants } from '../../contract/runtime-security';
import { isOpen, lockLineage } from '../../fences/lineage';
import type { Attempt } from '../../model/installation/attempt';
import { ENTRIES } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import { recordStep } from './journal';

export interface RecordAcknowledged extends Attempt {
  readonly organization: string;
  readonly bound: BoundAppGrants;
}
export type RecordedAcknowledged = { readonly kind: 'recorded' | 'already-recorded' | 'other-binding' | 'not-open' };

export function recordAcknowledged(db: Db, input: RecordAcknowledged): Promise<RecordedAcknowledged> {
  const { organization, bound } = input;
  const { bytes: entry } = ENTRIES.acknowledged.build({
    security_epoch: bound.securityEpoch.toString(),
    projection_digest: bound.projectionDigest,
    binding_digest: bound.bindingDigest,
  });
  return db.fenced(catalogDoors['record-acknowledged'], async (tx) => {
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined || !isOpen(lineage, input)) return { kind: 'not-open' };
    const standing = await recordStep(tx, organization, input, 'acknowledged', { entry, document: bound.bindingBytes });
    if (standing === 'recorded') return { kind: 'recorded' };
    const same = standing.entry.equals(entry) && standing.document?.equals(bound.bindingBytes) === true;
    return { kind: same ? 'already-recorded' : 'other-binding' };
  });
}
