/**
 * open-removal: step 1 of giving an installation up
 *
 * why     Serving is withdrawn by the same ordered publication that brought it (cat:INST-T09): first a projection without its grants, then a
 *         revision without it, then what still refers to it is waited for. No check of a release is made: what is bad must be removable.
 * paths   pass-barrier, open-removal
 * locks   barrier, lineage, installation
 * fence   no publication open; the state and the epoch that the asker saw, under the counters of a plan that was confirmed; nobody who lives is
 *         resolved to it (cat:A-30).
 * again   The request key. The security command's id was made before the first run.
 */
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCandidate, catInstallation } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import type { LockedInstallation } from '../../fences/installation';
import { lockLineage, markOpen } from '../../fences/lineage';
import { keepRequest, recallRequest } from '../../fences/request';
import type { Attempt } from '../../model/installation/attempt';
import { type ExpectedBasis, isPast } from '../../model/installation/gathered';
import type { InstallationState } from '../../model/installation/installation';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { freezeWithdrawal, type SecurityBasis } from './freeze-withdrawal';
import { dependentsOf, readOrganization, servingBeside } from './organization';
import { lockStanding, type NotStanding } from './place';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export interface OpenRemoval {
  readonly organization: string;
  readonly installation: string;
  readonly state: InstallationState;
  readonly activationEpoch: bigint;
  readonly basis: SecurityBasis;
  /** Left out where nobody confirmed a plan. */
  readonly expected?: ExpectedBasis | undefined;
  readonly commandId: OperationId;
}
export type OpenedRemoval =
  | ({ readonly kind: 'opened' } & Attempt)
  | ({ readonly kind: 'publication-open' } & Attempt)
  /** The plan that was confirmed was made under another revision or security epoch. */
  | ({ readonly kind: 'expected-moved' } & ExpectedBasis)
  | { readonly kind: 'dependents-live'; readonly installations: readonly string[] }
  | NotStanding
  | BarrierHeld;

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const REMOVE = updateRows(
  catInstallation,
  `SET state = 'REMOVING', failed_from = NULL, attempt = :attempt.next, candidate_release_digest = NULL
   ${ONE} AND state IN ('ACTIVE', 'FAILED') AND attempt = :attempt AND activation_epoch = :activation_epoch`,
  'remove',
);
const LAST = readRows(catCandidate, ['app_release_digest'], `${ONE} ORDER BY attempt DESC LIMIT 1`, 'last');

export function openRemoval(db: Db, input: OpenRemoval, request: RequestKey): Promise<OpenedRemoval> {
  const { organization, installation } = input;
  return db.fenced(catalogDoors['open-removal'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined) return { kind: 'no-installation' };
    const before = await recallRequest<OpenedRemoval>(tx, request);
    if (before !== undefined) return before;
    const now = { catalogRevision: lineage.catalogRevision, securityEpoch: input.basis.securityEpoch };
    if (isPast(input.expected, now)) return { kind: 'expected-moved', ...now };
    const row = await lockStanding(tx, organization, input, 'REMOVING');
    if ('kind' in row) return row;
    if (lineage.open !== null) return { kind: 'publication-open', ...lineage.open };
    const everybody = await readOrganization(tx, organization);
    const appId = row.live_app_id ?? '';
    const dependents = dependentsOf(everybody, appId);
    if (dependents.length > 0) return { kind: 'dependents-live', installations: dependents.map((one) => one.installation) };
    const attempt = row.attempt + 1n;
    const appReleaseDigest = await withdrawn(tx, row);
    await freezeWithdrawal(tx, {
      ...input,
      kind: 'removal',
      attempt,
      appId,
      appReleaseDigest,
      serving: servingBeside(everybody, installation),
    });
    await move(tx, row, attempt);
    await markOpen(tx, lineage, { installation, attempt });
    const details = { kind: 'opened', installation, attempt: attempt.toString(), app_id: appId, command_id: input.commandId };
    await audit(tx, { caller: request.caller, subject: organization, details });
    return keepRequest(tx, request, { kind: 'opened', installation, attempt });
  });
}

/** What serves; of an installation that never was ACTIVE the last thing that was tried. */
async function withdrawn(tx: FencedTx, row: LockedInstallation) {
  if (row.active_release_digest !== null) return row.active_release_digest;
  const { organization_id, app_installation_id } = row;
  const [last] = await tx.read(LAST, { organization_id, app_installation_id });
  invariant(last !== undefined, 'HOUSE:catalog:CandidateMissing', `${app_installation_id} never had a candidate`);
  return last.app_release_digest;
}

async function move(tx: FencedTx, row: LockedInstallation, next: bigint): Promise<void> {
  const { organization_id, app_installation_id, attempt, activation_epoch } = row;
  const moved = await tx.cas(REMOVE, { organization_id, app_installation_id, attempt, 'attempt.next': next, activation_epoch });
  invariant(moved, 'HOUSE:catalog:CasUnexplained', 'a locked installation moved');
}
