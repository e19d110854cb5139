/**
 * withdraw: step 4 of a removal, the revision in which the installation does not serve
 *
 * why     What is to go must stop serving before anybody waits for what still refers to it (cat:A-28).
 * paths   pass-barrier, withdraw
 * locks   barrier, lineage, installation
 * fence   the attempt is the open one, of a removal; Runtime acknowledged the projection without its grants.
 * again   Installation and attempt: a withdrawn installation answers with the revision that withdrew it.
 */
import type { Lineage } from '@connector/kernel/digest-profile';
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catBindingState, catInstallation, catPublicationStep } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation, type LockedInstallation } from '../../fences/installation';
import { isOpen, type LockedLineage, lockLineage, markClosed, takeRevision } from '../../fences/lineage';
import type { OpenAttempt } from '../../model/installation/attempt';
import { ENTRIES, type NextStep, publishedLineage } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import { drainBindings } from './activate-bindings';
import { attemptKey, readSteps } from './journal';
import { agreedWithdrawal, type AgreedWithdrawal, type WithdrawalDisagreement } from './withdrawal-agreement';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export type Withdrawn =
  | { readonly kind: 'published' | 'already-published'; readonly lineage: Lineage }
  | { readonly kind: 'not-open' }
  | { readonly kind: 'too-early'; readonly next: NextStep }
  | WithdrawalDisagreement
  | BarrierHeld;

const WITHDRAW = updateRows(
  catInstallation,
  `SET active_release_digest = NULL, active_attempt = NULL, active_security_epoch = NULL, active_revision = NULL,
       activation_epoch = :activation_epoch.next
   WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND state = 'REMOVING' AND attempt = :attempt
     AND activation_epoch = :activation_epoch`,
  'withdraw',
);

/** What was staged for it will never be activated. */
const FAIL_STAGED = updateRows(
  catBindingState,
  `SET state = 'FAILED' WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND state = 'STAGED'`,
  'fail',
);

export function withdraw(db: Db, input: OpenAttempt): Promise<Withdrawn> {
  return db.fenced(catalogDoors.withdraw, async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, input.organization);
    if (lineage === undefined) return { kind: 'not-open' };
    const row = await lockInstallation(tx, input.organization, input.installation);
    const steps = await readSteps(tx, input.organization, input);
    const before = steps.get('published');
    if (before !== undefined) return { kind: 'already-published', lineage: publishedLineage(before.entry) };
    if (row?.state !== 'REMOVING' || !isOpen(lineage, input)) return { kind: 'not-open' };
    const agreed = await agreedWithdrawal(tx, steps, input, 'removal');
    return agreed.kind === 'agreed' ? { kind: 'published', lineage: await stopServing(tx, lineage, row, input, agreed) } : agreed;
  });
}

async function stopServing(
  tx: FencedTx,
  lineage: LockedLineage,
  row: LockedInstallation,
  input: OpenAttempt,
  { digest, projectionDigest, securityEpoch }: AgreedWithdrawal,
): Promise<Lineage> {
  const { organization, installation, attempt } = input;
  const key = { organization_id: organization, app_installation_id: installation };
  const activationEpoch = row.activation_epoch + 1n;
  await drainBindings(tx, key);
  await tx.update(FAIL_STAGED, key);
  const tuple = { attempt, activationEpoch, tupleDigest: digest, projectionDigest, securityEpoch };
  const catalogRevision = await takeRevision(tx, lineage, { cause: 'removal', installation, tuple });
  const epochs = { activation_epoch: row.activation_epoch, 'activation_epoch.next': activationEpoch };
  invariant(await tx.cas(WITHDRAW, { ...key, attempt, ...epochs }), 'HOUSE:catalog:CasUnexplained', `${installation} moved under its lock`);
  await markClosed(tx, lineage, input);
  const published = { lineageId: lineage.lineageId, catalogRevision, activationEpoch };
  const { bytes: entry } = ENTRIES.published.build({
    lineage_id: published.lineageId,
    catalog_revision: catalogRevision.toString(),
    activation_epoch: activationEpoch.toString(),
  });
  await tx.insert(catPublicationStep, [{ ...attemptKey(organization, input), step: 'published', entry, document: null }]);
  const details = { installation, catalog_revision: catalogRevision.toString(), activation_epoch: activationEpoch.toString() };
  await audit(tx, { caller: 'catalog', subject: organization, details });
  return published;
}
