/**
 * acquire-barrier: an activation holds the authors of an installation off
 *
 * why     What an epoch froze must still be what Catalog says when it begins to serve (decisions 10). A successor of the coordinator takes over what
 *         its predecessor held, with the same receipt (cat:INT-18).
 * paths   acquire-barrier
 * locks   barrier
 * fence   the barrier open, or held by this attempt; the holder fence not below the highest that ever held or released it, and above it for a new
 *         hold, so that no late request of a past holder holds anew (cat:INT-17); the view and its lineage as the epoch froze them.
 * again   The attempt: held by it already, the same receipt.
 */
import { nullable } from '@connector/kernel/column';
import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { Lineage } from '@connector/kernel/digest-profile';
import { invariant } from '@connector/kernel/faults';
import type { AttemptId } from '@connector/kernel/ids';
import { catalogBarrierReceipt } from '@connector/kernel/publication-barrier';
import { readQuery, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catPublicationBarrier } from '@connector/schema/catalog/barriers';
import { catIntegrationView, catViewCurrent } from '@connector/schema/catalog/membership';
import { audit } from '../../fences/audit';
import { barrierKey, lockBarrier, type LockedBarrier } from '../../fences/barrier';
import { publicationBarrierMachine } from '../../model/installation/barrier';
import { catalogDoors } from '../../model/paths';

export interface ViewStanding {
  readonly lineage: Lineage;
  readonly viewDigest: Digest;
}
export interface AcquireBarrier {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
  readonly attemptId: AttemptId;
  readonly holderFence: BarrierHolderFence;
  readonly expected: ViewStanding;
}
export type AcquiredBarrier =
  | { readonly kind: 'held'; readonly barrierFence: BarrierFence; readonly receiptBytes: Buffer; readonly receiptDigest: Digest }
  /** By another attempt, until somebody releases it. */
  | { readonly kind: 'conflict'; readonly attemptId: AttemptId | null }
  /** The workload has another view by now, or none. */
  | { readonly kind: 'drift'; readonly current: ViewStanding | null }
  | { readonly kind: 'stale-holder'; readonly holderFence: BarrierHolderFence }
  | { readonly kind: 'no-installation' };

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const HOLD = updateRows(
  catPublicationBarrier,
  `SET state = 'held', barrier_fence = :barrier_fence.next, holder_fence = :holder_fence, attempt_id = :attempt_id, receipt = :receipt
   ${ONE} AND state = 'open' AND barrier_fence = :barrier_fence AND holder_fence < :holder_fence`,
  'hold',
);
const TAKE_OVER = updateRows(
  catPublicationBarrier,
  `SET holder_fence = :holder_fence ${ONE} AND state = 'held' AND attempt_id = :attempt_id AND holder_fence <= :holder_fence`,
  'take-over',
);
const VIEW = catIntegrationView.columns;
/** As `readCurrentView` finds it; whoever writes any of it holds the barrier. */
const CURRENT = readQuery(
  catViewCurrent,
  {
    lineage_id: VIEW.lineage_id,
    catalog_revision: VIEW.catalog_revision,
    activation_epoch: catViewCurrent.columns.activation_epoch,
    view_digest: nullable(VIEW.view_digest),
  },
  `SELECT c.lineage_id, c.catalog_revision, c.activation_epoch, v.view_digest
     FROM cat_view_current c
     JOIN cat_installation i ON i.organization_id = c.organization_id AND i.app_installation_id = c.app_installation_id
          AND i.activation_epoch = c.activation_epoch AND i.active_attempt IS NOT NULL
     JOIN cat_integration_view v ON v.organization_id = c.organization_id AND v.app_installation_id = c.app_installation_id
          AND v.authorized_workload_id = c.authorized_workload_id AND v.lineage_id = c.lineage_id AND v.catalog_revision = c.catalog_revision
    WHERE c.organization_id = :organization_id AND c.app_installation_id = :app_installation_id
      AND c.authorized_workload_id = :authorized_workload_id`,
);

export function acquireBarrier(db: Db, input: AcquireBarrier): Promise<AcquiredBarrier> {
  return db.fenced(catalogDoors['acquire-barrier'], async (tx) => {
    const row = await lockBarrier(tx, input);
    if (row === undefined) return { kind: 'no-installation' };
    const held = publicationBarrierMachine.parse(row.state) === 'held';
    if (held && row.attempt_id !== input.attemptId) return { kind: 'conflict', attemptId: row.attempt_id };
    const current = await standing(tx, input);
    if (current === undefined || !sameStanding(current, input.expected)) return { kind: 'drift', current: current ?? null };
    const receipt = held ? await takeOver(tx, row, input) : await hold(tx, row, input);
    if (receipt === undefined) return { kind: 'stale-holder', holderFence: row.holder_fence };
    const { value, bytes: receiptBytes, digest: receiptDigest } = catalogBarrierReceipt.parse(receipt);
    return { kind: 'held', barrierFence: BigInt(value.barrier_fence) as BarrierFence, receiptBytes, receiptDigest };
  });
}

async function standing(tx: FencedTx, input: AcquireBarrier): Promise<ViewStanding | undefined> {
  const [row] = await tx.read(CURRENT, { ...barrierKey(input), authorized_workload_id: input.workload });
  if (row === undefined || row.view_digest === null) return undefined;
  const { lineage_id: lineageId, catalog_revision: catalogRevision, activation_epoch: activationEpoch, view_digest: viewDigest } = row;
  return { lineage: { lineageId, catalogRevision, activationEpoch }, viewDigest };
}

function sameStanding({ lineage: one, viewDigest }: ViewStanding, { lineage: other, viewDigest: expected }: ViewStanding): boolean {
  const sameHistory = one.lineageId === other.lineageId && one.catalogRevision === other.catalogRevision;
  return sameHistory && one.activationEpoch === other.activationEpoch && viewDigest === expected;
}

/** The receipt that stands; undefined where a higher holder took over. */
async function takeOver(tx: FencedTx, row: LockedBarrier, input: AcquireBarrier): Promise<Buffer | undefined> {
  const { attemptId: attempt_id, holderFence: holder_fence } = input;
  if (!(await tx.cas(TAKE_OVER, { ...barrierKey(input), attempt_id, holder_fence }))) return undefined;
  invariant(row.receipt !== null, 'HOUSE:catalog:BarrierWithoutReceipt', `${input.installation} is held without a receipt`);
  return row.receipt;
}

async function hold(tx: FencedTx, row: LockedBarrier, input: AcquireBarrier): Promise<Buffer | undefined> {
  const { attemptId: attempt_id, holderFence: holder_fence } = input;
  const next = (row.barrier_fence + 1n) as BarrierFence;
  const receipt = receiptOf(input, next);
  const fences = { barrier_fence: row.barrier_fence, 'barrier_fence.next': next, holder_fence };
  if (!(await tx.cas(HOLD, { ...barrierKey(input), ...fences, attempt_id, receipt }))) return undefined;
  const details = { installation: input.installation, attempt_id, barrier_fence: next.toString(), holder_fence: holder_fence.toString() };
  await audit(tx, { caller: 'cutover-coordinator', subject: input.organization, details });
  return receipt;
}

function receiptOf({ organization, installation, workload, attemptId, expected }: AcquireBarrier, fence: BarrierFence): Buffer {
  const { lineageId, catalogRevision, activationEpoch } = expected.lineage;
  return catalogBarrierReceipt.build({
    schema_version: 'nexuscrm.publication-barrier-receipt/v1',
    owner: 'catalog',
    organization_id: organization,
    app_installation_id: installation,
    authorized_workload_id: workload,
    attempt_id: attemptId,
    barrier_fence: fence.toString(),
    lineage: { lineage_id: lineageId, catalog_revision: catalogRevision.toString(), activation_epoch: activationEpoch.toString() },
    view_digest: expected.viewDigest,
  }).bytes;
}
