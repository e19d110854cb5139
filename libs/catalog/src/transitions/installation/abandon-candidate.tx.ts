/**
 * abandon-candidate: a candidate is given up, and what was ACTIVE stays (cat:INST-T05, cat:INST-T08)
 *
 * why     Before its command can have been sent nothing of it is anywhere, so the installation is ACTIVE again at once. After that Runtime may hold
 *         its projection, now or later: a newer one without it comes first, and ACTIVE with its acknowledgement (cat:PUBL-11, cat:PUBL-C7). A
 *         preparation has nothing to be ACTIVE with: it is FAILED (cat:INST-T11).
 * paths   pass-barrier, abandon-candidate
 * locks   barrier, lineage, installation
 * fence   the state, the epoch and the attempt that the asker saw; the attempt is the open one and has not published.
 * again   The request key.
 */
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catInstallation } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import type { LockedInstallation } from '../../fences/installation';
import { lockLineage } from '../../fences/lineage';
import { keepRequest, recallRequest } from '../../fences/request';
import type { Attempt } from '../../model/installation/attempt';
import type { InstallationState } from '../../model/installation/installation';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { endAttempt, endingCandidate, takeBack } from './end-attempt';
import { readSteps } from './journal';
import { lockStanding, type NotStanding } from './place';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export interface AbandonCandidate {
  readonly organization: string;
  readonly installation: string;
  readonly state: InstallationState;
  readonly activationEpoch: bigint;
  /** Of a plan that was confirmed; left out where nobody confirmed one. */
  readonly attempt?: bigint | undefined;
}
export type AbandonedCandidate =
  /** Nothing of it was ever sent; the installation is ACTIVE with what it was, or FAILED where it was nothing. */
  | { readonly kind: 'abandoned' }
  /** This attempt takes back what may have been sent; with its end the installation is ACTIVE, where it was. */
  | ({ readonly kind: 'taking-back' } & Attempt)
  /** Another candidate came after the one that was to be given up. */
  | { readonly kind: 'attempt-moved'; readonly attempt: bigint }
  | NotStanding
  | BarrierHeld;

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const WAITING = `state IN ('UPGRADING', 'ROLLING_BACK') AND attempt = :attempt AND activation_epoch = :activation_epoch`;
const ABANDON = updateRows(catInstallation, `SET state = 'ACTIVE', candidate_release_digest = NULL ${ONE} AND ${WAITING}`, 'abandon');
const TAKE_BACK = updateRows(
  catInstallation,
  `SET candidate_release_digest = NULL, attempt = :attempt.next ${ONE} AND ${WAITING}`,
  'take-back',
);

const GIVE_UP = updateRows(
  catInstallation,
  `SET failed_from = 'PREPARING', state = 'FAILED', candidate_release_digest = NULL, attempt = :attempt.next
   ${ONE} AND state = 'PREPARING' AND attempt = :attempt AND activation_epoch = :activation_epoch`,
  'give-up',
);

export function abandonCandidate(db: Db, input: AbandonCandidate, request: RequestKey): Promise<AbandonedCandidate> {
  const { organization, installation } = input;
  return db.fenced(catalogDoors['abandon-candidate'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined) return { kind: 'no-installation' };
    const before = await recallRequest<AbandonedCandidate>(tx, request);
    if (before !== undefined) return before;
    const row = await lockStanding(tx, organization, input, 'ACTIVE');
    if ('kind' in row) return row;
    if (input.attempt !== undefined && input.attempt !== row.attempt) return { kind: 'attempt-moved', attempt: row.attempt };
    const { open } = lineage;
    invariant(
      open?.installation === installation,
      'HOUSE:catalog:LineageDiffers',
      `${installation} is ${row.state} without an open attempt`,
    );
    const attempt = { organization, ...open };
    const candidate = await endingCandidate(tx, attempt);
    if (candidate.kind === 'abandonment') return { kind: 'taking-back', ...open };
    const ending = { ...attempt, code: 'ABANDONED', detail: `given up by ${request.caller}` } as const;
    await endAttempt(tx, candidate, row.state, ending);
    const next = await takeBack(tx, lineage, candidate, await readSteps(tx, organization, open), ending);
    invariant(await move(tx, row, open.attempt, next), 'HOUSE:catalog:CasUnexplained', `${installation} moved under its lock`);
    await audit(tx, { caller: request.caller, subject: organization, details: { installation, attempt: open.attempt.toString() } });
    const answer: AbandonedCandidate =
      next === undefined ? { kind: 'abandoned' } : { kind: 'taking-back', installation, attempt: next.attempt };
    return keepRequest(tx, request, answer);
  });
}

function move(tx: FencedTx, row: LockedInstallation, attempt: bigint, next: Attempt | undefined): Promise<boolean> {
  const { organization_id, app_installation_id, activation_epoch, state } = row;
  const seen = { organization_id, app_installation_id, attempt, activation_epoch };
  if (state === 'PREPARING') return tx.cas(GIVE_UP, { ...seen, 'attempt.next': next?.attempt ?? attempt });
  return next === undefined ? tx.cas(ABANDON, seen) : tx.cas(TAKE_BACK, { ...seen, 'attempt.next': next.attempt });
}
