/**
 * set-membership: which bindings a workload is wanted to use, as a whole
 *
 * why     Authorized membership lives here and nowhere else (cat:INT-01). It may be wanted before the installation is ACTIVE; its view comes then.
 * paths   pass-barrier, set-membership, publish-views
 * fence   the organization's lineage row at the revision that the operator saw; the installation's row holds its ACTIVE tuple still.
 * again   The request's key; and a membership that stands already is `already-set` under whatever revision, so nothing moves.
 */
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAuthorizedBinding, catMembershipHead } from '@connector/schema/catalog/membership';
import { audit } from '../fences/audit';
import { activeTupleOf, lockInstallation } from '../fences/installation';
import { lockLineage, takeRevision } from '../fences/lineage';
import { keepRequest, recallRequest } from '../fences/request';
import { inBindingOrder, membership, type ViewBinding } from '../model/documents';
import { catalogDoors } from '../model/paths';
import type { RequestKey } from '../model/request';
import { columnsOf } from './authorized-bindings';
import { publishViews } from './publish-views.step';
import { type BarrierHeld, passBarrier } from './barrier/pass-barrier.step';

export interface SetMembership {
  readonly request: RequestKey;
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
  /** The organization's, as the operator saw it. */
  readonly expectedCatalogRevision: bigint;
  /** Whole: what is not among them is wanted no more. */
  readonly bindings: readonly ViewBinding[];
}

export type MembershipSet =
  | {
      readonly kind: 'set' | 'already-set';
      /** Of the change that made this membership. */
      readonly catalogRevision: bigint;
      readonly membershipDigest: Digest;
    }
  | { readonly kind: 'revision-moved'; readonly catalogRevision: bigint }
  | { readonly kind: 'installation-absent' | 'installation-removed' }
  | BarrierHeld;

const WHO =
  'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND authorized_workload_id = :authorized_workload_id';
const STANDING = readRows(catMembershipHead, ['catalog_revision', 'membership_digest'], WHO, 'standing');
const MOVE = updateRows(
  catMembershipHead,
  `SET catalog_revision = :catalog_revision.next, membership_digest = :membership_digest ${WHO} AND catalog_revision = :catalog_revision`,
);

export async function setMembership(db: Db, input: SetMembership): Promise<MembershipSet> {
  const { digest: membershipDigest } = membership.build({ schema_version: 'nexuscrm.integration-membership/v1', bindings: input.bindings });
  return db.fenced(catalogDoors['set-membership'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, input.organization);
    if (lineage === undefined) return { kind: 'installation-absent' };
    const before = await recallRequest<MembershipSet>(tx, input.request);
    if (before !== undefined) return before;
    const installation = await lockInstallation(tx, input.organization, input.installation);
    if (installation === undefined) return { kind: 'installation-absent' };
    if (installation.state === 'REMOVED') return { kind: 'installation-removed' };
    const [standing] = await tx.read(STANDING, whoOf(input));
    if (standing?.membership_digest === membershipDigest) {
      return { kind: 'already-set', catalogRevision: standing.catalog_revision, membershipDigest };
    }
    if (lineage.catalogRevision !== input.expectedCatalogRevision) {
      return { kind: 'revision-moved', catalogRevision: lineage.catalogRevision };
    }
    const catalogRevision = await takeRevision(tx, lineage, { cause: 'membership', installation: input.installation });
    await authorize(tx, input, { from: standing?.catalog_revision, catalogRevision, membershipDigest });
    const tuple = await activeTupleOf(tx, installation);
    if (tuple !== undefined) {
      const { lineageId } = lineage;
      await publishViews(tx, tuple, { lineageId, catalogRevision, activationEpoch: installation.activation_epoch }, [input.workload]);
    }
    return told(tx, input, { kind: 'set', catalogRevision, membershipDigest });
  });
}

function whoOf({ organization, installation, workload }: SetMembership) {
  return { organization_id: organization, app_installation_id: installation, authorized_workload_id: workload };
}

interface Change {
  readonly from: bigint | undefined;
  readonly catalogRevision: bigint;
  readonly membershipDigest: Digest;
}

async function authorize(tx: FencedTx, input: SetMembership, { from, catalogRevision, membershipDigest }: Change): Promise<void> {
  const who = whoOf(input);
  const rows = inBindingOrder(input.bindings).map((binding, ordinal) => ({
    ...who,
    catalog_revision: catalogRevision,
    ordinal,
    ...columnsOf(binding),
  }));
  await tx.insert(catAuthorizedBinding, rows);
  const head = { ...who, membership_digest: membershipDigest };
  if (from === undefined) return tx.insert(catMembershipHead, [{ ...head, catalog_revision: catalogRevision }]);
  const moved = await tx.cas(MOVE, { ...head, catalog_revision: from, 'catalog_revision.next': catalogRevision });
  invariant(moved, 'HOUSE:catalog:HeadMoved', 'a membership moved under the lineage row that we hold');
}

async function told(tx: FencedTx, input: SetMembership, answer: MembershipSet): Promise<MembershipSet> {
  const { organization, installation, workload, request, bindings } = input;
  const details = {
    organization,
    workload,
    bindings: bindings.length,
    membership_digest: 'membershipDigest' in answer ? answer.membershipDigest : null,
  };
  await audit(tx, { caller: request.caller, subject: installation, details });
  return keepRequest(tx, request, answer);
}
