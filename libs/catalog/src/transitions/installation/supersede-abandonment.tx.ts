/**
 * supersede-abandonment: the command of an abandonment was stale, another one follows what Runtime holds now
 *
 * why     What it takes back came first, or another input moved: that command can never succeed (cat:A-31). The candidate was given up for good, so
 *         nothing fails by it; the old command stays in the journal as superseded.
 * paths   pass-barrier, supersede-abandonment
 * locks   barrier, lineage, installation
 * fence   the attempt is the open one, of an abandonment.
 * again   Installation and attempt: a superseded attempt is not open.
 */
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catInstallation } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import { isOpen, lockLineage, markClosed } from '../../fences/lineage';
import type { Attempt, OpenAttempt } from '../../model/installation/attempt';
import { catalogDoors } from '../../model/paths';
import { endingCandidate, isAbandoning, journalFailed, openAbandonment } from './end-attempt';
import type { SecurityBasis } from './freeze-withdrawal';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export type Superseded = ({ readonly kind: 'opened' } & Attempt) | { readonly kind: 'not-open' } | BarrierHeld;

const COUNT = updateRows(
  catInstallation,
  `SET attempt = :attempt.next
   WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id
     AND state IN ('UPGRADING', 'ROLLING_BACK', 'FAILED') AND attempt = :attempt`,
  'supersede',
);

export function supersedeAbandonment(db: Db, input: OpenAttempt, basis: SecurityBasis): Promise<Superseded> {
  const { organization, installation, attempt } = input;
  return db.fenced(catalogDoors['supersede-abandonment'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined || !isOpen(lineage, input)) return { kind: 'not-open' };
    const row = await lockInstallation(tx, organization, installation);
    const candidate = await endingCandidate(tx, input);
    if (row === undefined || !isAbandoning(row) || candidate.kind !== 'abandonment') return { kind: 'not-open' };
    await journalFailed(tx, row.state, { ...input, code: 'SECURITY_EPOCH_STALE', detail: `superseded at ${basis.securityEpoch}` });
    await markClosed(tx, lineage, input);
    const next = await openAbandonment(tx, lineage, candidate, input, basis);
    const key = { organization_id: organization, app_installation_id: installation };
    const counted = await tx.cas(COUNT, { ...key, attempt, 'attempt.next': next.attempt });
    invariant(counted, 'HOUSE:catalog:CasUnexplained', `${installation} moved under its lock`);
    await audit(tx, { caller: 'catalog', subject: organization, details: { installation, attempt: next.attempt.toString() } });
    return { kind: 'opened', installation, attempt: next.attempt };
  });
}
