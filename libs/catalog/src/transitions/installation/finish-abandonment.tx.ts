/**
 * finish-abandonment: Runtime holds nothing more of the candidate that was given up
 *
 * why     With that acknowledgement an upgrade or a rollback that was abandoned is over, and what was ACTIVE is ACTIVE (cat:INST-T05, cat:INST-T08). A
 *         FAILED installation stays FAILED: its exits are others (cat:A-29). What serves did not change, so no revision is taken.
 * paths   pass-barrier, finish-abandonment
 * locks   barrier, lineage, installation
 * fence   the attempt is the open one, of an abandonment; Runtime acknowledged its projection.
 * again   Installation and attempt: `already-abandoned`.
 */
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catInstallation, catPublicationStep } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import { isOpen, lockLineage, markClosed } from '../../fences/lineage';
import type { OpenAttempt } from '../../model/installation/attempt';
import { ENTRIES } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import { isAbandoning } from './end-attempt';
import { attemptKey, readSteps } from './journal';
import { agreedWithdrawal, type WithdrawalDisagreement } from './withdrawal-agreement';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export type FinishedAbandonment = { readonly kind: 'abandoned' | 'already-abandoned' | 'not-open' } | WithdrawalDisagreement | BarrierHeld;

const ACTIVE_AGAIN = updateRows(
  catInstallation,
  `SET state = 'ACTIVE'
   WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id
     AND state IN ('UPGRADING', 'ROLLING_BACK') AND attempt = :attempt`,
  'active-again',
);

export function finishAbandonment(db: Db, input: OpenAttempt): Promise<FinishedAbandonment> {
  const { organization, installation, attempt } = input;
  return db.fenced(catalogDoors['finish-abandonment'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined) return { kind: 'not-open' };
    const row = await lockInstallation(tx, organization, installation);
    const steps = await readSteps(tx, organization, input);
    if (steps.has('abandoned')) return { kind: 'already-abandoned' };
    if (row === undefined || !isOpen(lineage, input) || !isAbandoning(row)) return { kind: 'not-open' };
    const agreed = await agreedWithdrawal(tx, steps, input, 'abandonment');
    if (agreed.kind !== 'agreed') return agreed;
    if (row.state !== 'FAILED') {
      const moved = await tx.cas(ACTIVE_AGAIN, { organization_id: organization, app_installation_id: installation, attempt });
      invariant(moved, 'HOUSE:catalog:CasUnexplained', `${installation} moved under its lock`);
    }
    await markClosed(tx, lineage, input);
    const { bytes: entry } = ENTRIES.abandoned.build({ security_epoch: agreed.securityEpoch.toString() });
    await tx.insert(catPublicationStep, [{ ...attemptKey(organization, input), step: 'abandoned', entry, document: null }]);
    await audit(tx, { caller: 'catalog', subject: organization, details: { installation, attempt: attempt.toString() } });
    return { kind: 'abandoned' };
  });
}
