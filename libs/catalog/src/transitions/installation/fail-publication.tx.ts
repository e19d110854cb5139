/**
 * fail-publication: an attempt that cannot go on ends, and what was ACTIVE serves on
 *
 * why     A command that can never succeed must not hold the organization (cat:INST-13, cat:A-31). What Runtime may hold of the attempt is taken
 *         back by the next one, so that the release that serves is admitted again (cat:PUBL-11).
 * paths   pass-barrier, fail-publication
 * locks   barrier, lineage, installation
 * fence   the attempt is the open one, of a candidate or a removal, and has not published.
 * again   Installation and attempt: a failed attempt answers with the reason that stands.
 */
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catInstallation } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation, type LockedInstallation } from '../../fences/installation';
import { isOpen, lockLineage } from '../../fences/lineage';
import { installationMachine } from '../../model/installation/installation';
import { ENTRIES, type PublicationFailure } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import { type EndAttempt, endAttempt, endingCandidate, takeBack } from './end-attempt';
import { readSteps } from './journal';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export interface FailPublication extends EndAttempt {
  /** Whose audit row it is. */
  readonly by: string;
}
export type FailedPublication =
  | { readonly kind: 'failed' | 'already-failed'; readonly code: PublicationFailure }
  /** It ended otherwise, it never was, or it is an abandonment: that one is superseded. */
  | { readonly kind: 'not-open' }
  | BarrierHeld;

const FAIL = updateRows(
  catInstallation,
  `SET failed_from = state, state = 'FAILED', candidate_release_digest = NULL, attempt = :attempt.next
   WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id
     AND state IN ('PREPARING', 'UPGRADING', 'ROLLING_BACK', 'REMOVING') AND attempt = :attempt`,
  'fail',
);

const mayFail = ({ state }: LockedInstallation): boolean => installationMachine.allows(installationMachine.parse(state), 'FAILED');

export function failPublication(db: Db, input: FailPublication): Promise<FailedPublication> {
  const { organization, installation, attempt, code } = input;
  return db.fenced(catalogDoors['fail-publication'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined) return { kind: 'not-open' };
    const row = await lockInstallation(tx, organization, installation);
    const steps = await readSteps(tx, organization, input);
    const standing = steps.get('failed');
    if (standing !== undefined) return { kind: 'already-failed', code: ENTRIES.failed.parse(standing.entry).value.code };
    if (row === undefined || !isOpen(lineage, input) || !mayFail(row)) return { kind: 'not-open' };
    const candidate = await endingCandidate(tx, input);
    if (candidate.kind === 'abandonment') return { kind: 'not-open' };
    await endAttempt(tx, candidate, row.state, input);
    const next = await takeBack(tx, lineage, candidate, steps, input);
    const key = { organization_id: organization, app_installation_id: installation };
    const failed = await tx.cas(FAIL, { ...key, attempt, 'attempt.next': next?.attempt ?? attempt });
    invariant(failed, 'HOUSE:catalog:CasUnexplained', `the open attempt of ${installation} moved under its lock`);
    await audit(tx, { caller: input.by, subject: organization, details: { installation, code } });
    return { kind: 'failed', code };
  });
}
