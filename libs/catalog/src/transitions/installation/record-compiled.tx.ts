/**
 * record-compiled: step 2, the projections that were made from what step 1 froze
 *
 * why     They are made again from what was committed and have to be the expected ones; nothing that serves is repointed (cat:PUBL-03).
 * paths   record-compiled
 * locks   lineage
 * fence   the attempt is the open one of its organization.
 * again   Installation, attempt and step: the same projections again are `already-recorded`.
 */
import type { Digest } from '@connector/kernel/digest';
import type { DocumentBytes } from '@connector/kernel/document';
import type { Db } from '@connector/platform/db/db';
import { isOpen, lockLineage } from '../../fences/lineage';
import type { Attempt } from '../../model/installation/attempt';
import { ENTRIES } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import { recordStep } from './journal';

export interface RecordCompiled extends Attempt {
  readonly organization: string;
  readonly tuple: DocumentBytes;
  readonly projectionDigest: Digest;
}
export type RecordedCompiled = { readonly kind: 'recorded' | 'already-recorded' | 'other-projections' | 'not-open' };

export function recordCompiled(db: Db, input: RecordCompiled): Promise<RecordedCompiled> {
  const { organization, tuple, projectionDigest } = input;
  const { bytes: entry } = ENTRIES.compiled.build({ tuple_digest: tuple.digest, projection_digest: projectionDigest });
  return db.fenced(catalogDoors['record-compiled'], async (tx) => {
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined || !isOpen(lineage, input)) return { kind: 'not-open' };
    const standing = await recordStep(tx, organization, input, 'compiled', { entry, document: tuple.bytes });
    if (standing === 'recorded') return { kind: 'recorded' };
    return { kind: standing.entry.equals(entry) ? 'already-recorded' : 'other-projections' };
  });
}
