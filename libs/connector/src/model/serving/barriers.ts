import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { Lineage } from '@connector/kernel/digest-profile';
import type { AttemptId } from '@connector/kernel/ids';
import { catalogBarrierReceipt, packsBarrierReceipt } from '@connector/kernel/publication-barrier';
import type { ApplicationScope } from '../digests/scope';
import type { ServingEpochParts } from '../digests/serving-epoch.parts';
import { generationsOf, type NamedGeneration } from './pins';

/** What an epoch froze of the owners whose authors are held off while it is activated. */
export interface FrozenScope extends ApplicationScope {
  readonly lineage: Lineage;
  readonly viewDigest: Digest;
  /** Each once. */
  readonly generations: readonly NamedGeneration[];
}

export function frozenScope(parts: ServingEpochParts): FrozenScope {
  const { organization, installation, workload, lineage, viewDigest } = parts.catalog;
  return { organization, installation, workload, lineage, viewDigest, generations: generationsOf(parts) };
}

/** Who holds: one attempt, in the hand of one run. */
export interface BarrierHolder {
  readonly attemptId: AttemptId;
  readonly holderFence: BarrierHolderFence;
}

/** `held`: an owner's word, byte for byte, that it holds its authors off. */
export type BarrierAnswer =
  | { readonly kind: 'held'; readonly receiptBytes: Buffer }
  /** The owner says why; nothing is held for the asker. */
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'unavailable' };

/** One barrier that an attempt holds, as its owner lists it. */
export interface HeldBarrier {
  readonly attemptId: AttemptId;
  readonly organization: string;
  /** Of Catalog's. */
  readonly installation?: string;
  readonly barrierFence: BarrierFence;
}

export const BARRIER_OWNERS = ['catalog', 'packs'] as const;

/** The same with whose it is, where those of several owners stand together. */
export interface OwnedBarrier extends HeldBarrier {
  readonly owner: (typeof BARRIER_OWNERS)[number];
}

/** One hold in words: equal for the same hold of one attempt, and for no other. */
export function barrierText({ owner, organization, installation, barrierFence }: OwnedBarrier): string {
  const place = installation === undefined ? '' : `, installation ${installation}`;
  return `${owner} of organization ${organization}${place}, at fence ${barrierFence}`;
}

/** Under which an attempt activates: both receipts, in the hand of one run. */
export interface HeldBarriers extends BarrierHolder {
  readonly catalog: Buffer;
  readonly packs: Buffer;
}

/**
 * cat:INT-19: which of the receipts is not of this attempt and of exactly what the epoch froze. Bytes that are no receipt are an InputFault. That
 * nobody released them since, the holder fence says: whoever releases takes a higher one first.
 */
export function barrierFault(frozen: FrozenScope, { attemptId, catalog, packs }: HeldBarriers): 'catalog' | 'packs' | undefined {
  const hold = { organization_id: frozen.organization, attempt_id: attemptId };
  const view = catalogBarrierReceipt.build({
    ...{ ...catalogBarrierReceipt.parse(catalog).value, ...hold },
    app_installation_id: frozen.installation,
    authorized_workload_id: frozen.workload,
    lineage: {
      lineage_id: frozen.lineage.lineageId,
      catalog_revision: frozen.lineage.catalogRevision.toString(),
      activation_epoch: frozen.lineage.activationEpoch.toString(),
    },
    view_digest: frozen.viewDigest,
  });
  if (!view.bytes.equals(catalog)) return 'catalog';
  const named = frozen.generations.map((one) => ({ storage_id: one.storageId, pack_payload_digest: one.payloadDigest }));
  const generations = packsBarrierReceipt.build({ ...packsBarrierReceipt.parse(packs).value, ...hold, generations: named });
  return generations.bytes.equals(packs) ? undefined : 'packs';
}
